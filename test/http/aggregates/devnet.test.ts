import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tokens } from '../../../packages/devnet/src/app/world/tokens.ts';
import { vestingAccount } from '../../../packages/devnet/src/app/world/vesting.ts';
import { startChain, type TestChain } from '../../support/chain.ts';
import { type Stack, startStack } from '../../support/stack.ts';
import { ask } from './request.ts';

let chain: TestChain;
let stack: Stack;

beforeAll(async () => {
  chain = await startChain();
  stack = await startStack([chain.node.url]);
  await stack.client.head.ready({ milliseconds: 5000 });
});
afterAll(async () => {
  expect(stack.masked).toEqual([]);
  await stack.close();
  await chain.devnet.close();
});

type Item = Readonly<Record<string, unknown>>;

/** The balance of an account in one denom. */
async function balanceOf(address: string, denom: string): Promise<Item | undefined> {
  const { body } = await ask(stack, `balances/${address}?pagination.pageSize=100`);
  return (body.items as Item[]).find((item) => item.denom === denom);
}

describe('cases that the recorded chain lacks', () => {
  it('a balance partly on hold: that part is not spendable', async () => {
    const balance = await balanceOf(chain.accounts[0]!.address, tokens.gold);
    // 97150 mills for a gram.
    expect(balance).toEqual({
      denom: tokens.gold,
      amount: '2000',
      display: { amount: '2', denom: 'kilogold', symbol: 'GOLD', exponent: 3 },
      held: '150',
      spendable: '1850',
      scopeId: null,
      price: {
        denom: 'usd',
        perUnit: '97150',
        perDisplayUnit: { amount: '97150', denom: 'USD', symbol: 'USD', exponent: 3 },
        updatedBlockHeight: '0',
      },
      value: {
        denom: 'usd',
        amount: '194300000',
        display: { amount: '194300', denom: 'USD', symbol: 'USD', exponent: 3 },
      },
    });
  });

  it('a vesting balance: it is not on hold and not fully spendable', async () => {
    const { amount, held, spendable } = (await balanceOf(vestingAccount, 'nhash'))!;
    expect(held).toBe('0');
    expect(BigInt(spendable as string)).toBeGreaterThan(0n);
    expect(BigInt(spendable as string)).toBeLessThan(BigInt(amount as string));
  });

  it('a denom with its display unit, in another price denom', async () => {
    const { body } = await ask(stack, `metadata/${tokens.dollar}?priceDenom=usd`);
    // 1000 mills for a million base units: one dollar for each display unit.
    expect(body.item).toMatchObject({
      name: 'Deposit Dollar',
      symbol: 'DUSD',
      display: 'dollar',
      exponent: 6,
      units: [
        { denom: tokens.dollar, exponent: 0 },
        { denom: 'dollar', exponent: 6 },
      ],
      supply: { amount: '5000000000000', display: { amount: '5000000', symbol: 'DUSD' } },
      price: { perUnit: '0.001', perDisplayUnit: { amount: '1', symbol: 'USD' } },
    });
    expect((await ask(stack, `metadata/${tokens.dollar}?priceDenom=euro`)).body.item).toMatchObject({ price: null });
  });

  it('a net asset value of the genesis: it has no block time', async () => {
    const { status, body } = await ask(stack, 'netAssetValues/nhash');
    expect(status).toBe(200);
    // 28 mills for a billion nhash, which are one hash.
    expect(body.items).toMatchObject([
      {
        price: { denom: 'usd', display: { symbol: 'USD' } },
        pricePerUnit: '0.000000028',
        pricePerDisplayUnit: { amount: '0.028', denom: 'USD' },
        updatedBlockHeight: '0',
        updatedBlockTime: null,
      },
    ]);
  });

  it('a marker that is not active yet and has no supply', async () => {
    const { body } = await ask(stack, `metadata/${tokens.proposed}`);
    expect(body.item).toMatchObject({
      supply: { amount: '0' },
      marker: { status: 'MARKER_STATUS_PROPOSED', supply: '750000' },
      price: null,
    });
    expect((await ask(stack, `holders/${tokens.proposed}`)).body).toMatchObject({ items: [], supply: { amount: '0' } });
  });
});

describe('accounts', () => {
  const accountAt = async (address: string) => (await ask(stack, `accounts/${address}`)).body.item as Item;

  it('one with names', async () => {
    const account = await accountAt(chain.accounts[7]!.address);
    expect(account).toMatchObject({ kind: 'BASE', moduleName: null, denom: null, hasMoreNames: false });
    const names = account.names as string[];
    expect(names).toEqual(expect.arrayContaining(['kyc.pb', 'score.kyc.pb']));
    for (const name of names) {
      const { body } = await stack.ask(`{ name(name: "${name}") { account { address } } }`);
      expect(body.data).toEqual({ name: { account: { address: account.address } } });
    }
  });

  it('that of a marker, with account data', async () => {
    const { marker } = (await ask(stack, `metadata/${tokens.gold}`)).body.item as { marker: { address: string } };
    expect(await accountAt(marker.address)).toMatchObject({
      kind: 'MARKER',
      denom: tokens.gold,
      accountData: 'Audited each quarter; the bars are listed in the annex.',
    });
  });

  it('that of a module', async () => {
    expect(await accountAt('tp17xpfvakm2amg962yls6f84z3kell8c5l2udfyt')).toMatchObject({
      kind: 'MODULE',
      moduleName: 'fee_collector',
    });
  });

  it('an address without an account', async () => {
    const address = 'tp1qurswpc8qurswpc8qurswpc8qurswpc8fkfn0h';
    expect(await accountAt(address)).toEqual({
      address,
      kind: null,
      moduleName: null,
      denom: null,
      accountNumber: null,
      sequence: null,
      names: [],
      hasMoreNames: false,
      accountData: '',
    });
  });
});
