import { createHash } from 'node:crypto';
import { bech32 } from '@scure/base';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MsgSendSchema } from '../../../src/proto/cosmos/bank/v1beta1/tx_pb.js';
import { MsgWithdrawDelegatorRewardSchema } from '../../../src/proto/cosmos/distribution/v1beta1/tx_pb.js';
import { MsgDelegateSchema, MsgUndelegateSchema } from '../../../src/proto/cosmos/staking/v1beta1/tx_pb.js';
import { fc, rounds } from '../../support/atRandom.ts';
import { any, startChain, type TestChain } from '../../support/chain.ts';
import { parseCsv } from '../../support/csv.ts';
import { type Stack, startStack } from '../../support/stack.ts';
import { makeTransfersAndPrices } from '../../support/transfersAndPrices.ts';
import { send } from '../../support/wire.ts';

interface Line {
  readonly kind: string;
  readonly amount: string;
  readonly balance: string;
  readonly height: string | null;
  readonly counterparty: { readonly address: string } | null;
}
interface Denom {
  readonly denom: string;
  readonly opening: string;
  readonly closing: string;
  readonly unexplained: string;
  readonly lines: readonly Line[];
}
interface Statement {
  readonly from: string;
  readonly to: string;
  readonly completeFrom: string;
  readonly denoms: readonly Denom[];
}

let chain: TestChain;
let stack: Stack;
let last: bigint;

const document = `query ($address: String!, $from: String!, $to: String) {
  account(address: $address) {
    statement(from: $from, to: $to) {
      from to completeFrom
      denoms { denom opening closing unexplained lines { kind amount balance height counterparty { address } } }
    }
  }
}`;

type Place = bigint | number | string;

async function statementOf(address: string, from: Place, to?: Place, of: Stack = stack): Promise<Statement> {
  const variables = { address, from: String(from), to: to === undefined ? undefined : String(to) };
  const { body } = await of.ask(document, variables);
  const { account } = body.data as { account: { statement: Statement | null } };
  if (account.statement === null) throw new Error(JSON.stringify(body));
  return account.statement;
}

beforeAll(async () => {
  chain = await startChain();
  stack = await startStack([chain.node.url]);
  const at = (index: number) => chain.accounts[index]!.address;
  await makeTransfersAndPrices(chain);
  const { body } = await stack.ask('{ validators { nodes { operatorAddress } } }');
  const { validators } = body.data as { validators: { nodes: { operatorAddress: string | null }[] } };
  const operators = validators.nodes.flatMap(({ operatorAddress }) => operatorAddress ?? []);
  const amount = { denom: 'nhash', amount: '1000000000' };
  const [first] = operators;
  const staker = chain.accounts[4]!;
  const stake = { delegatorAddress: at(4), validatorAddress: first!, amount };
  await chain.run(staker, any(MsgDelegateSchema, stake));
  await chain.devnet.commit();
  await chain.run(staker, any(MsgWithdrawDelegatorRewardSchema, { delegatorAddress: at(4), validatorAddress: first! }));
  const half = { denom: 'nhash', amount: '500000000' };
  await chain.run(staker, any(MsgUndelegateSchema, { ...stake, amount: half }));
  await chain.run(
    staker,
    any(MsgSendSchema, { fromAddress: at(4), toAddress: at(4), amount: [{ denom: 'nhash', amount: '7' }] }),
  );
  last = await chain.devnet.commit();
  await stack.client.head.waitFor(last, { milliseconds: 30_000 });
});
afterAll(async () => {
  await stack.close();
  await chain.devnet.close();
});

/** Throws unless the opening balance and the lines of each denom add up to the closing balance, at each line. */
function expectSums({ denoms }: Statement): void {
  for (const { opening, closing, unexplained, lines } of denoms) {
    let balance = BigInt(opening);
    for (const line of lines) {
      balance += BigInt(line.amount);
      expect(line.balance).toBe(balance.toString());
    }
    expect(balance).toBe(BigInt(closing));
    const rest = lines.filter(({ kind }) => kind === 'UNEXPLAINED');
    expect(rest.map(({ amount }) => amount)).toEqual(unexplained === '0' ? [] : [unexplained]);
  }
}

describe('the statement of an account', () => {
  it('has every movement between two heights, with its kind and its counterparty', async () => {
    const at = (index: number) => chain.accounts[index]!.address;
    const linesOf = async (index: number) =>
      (await statementOf(at(index), 1)).denoms.flatMap(({ denom, lines }) =>
        lines.map(({ kind, amount, counterparty, height }) => [height, denom, kind, amount, counterparty?.address ?? null]),
      );
    const [collector, pool, distribution] = ['fee_collector', 'bonded_tokens_pool', 'distribution'].map((name) =>
      bech32.encode('tp', bech32.toWords(createHash('sha256').update(name).digest().subarray(0, 20))),
    );
    const fees = (height: string) => [
      [height, 'nhash', 'FEE', '-1', collector],
      [height, 'nhash', 'FEE', '-999999999', collector],
    ];
    // A fee is paid before and after the messages.
    const around = (height: string, ...lines: unknown[]) => [fees(height)[0], ...lines, fees(height)[1]];
    expect(await linesOf(1)).toEqual([
      ['3', 'microusd', 'MULTI_SEND', '-3000000', null],
      ['2', 'nhash', 'SEND', '1500000000', at(0)],
      ...fees('3'),
      ...fees('5'),
    ]);
    const staker = await linesOf(4);
    const reward = staker.find(([, , kind]) => kind === 'REWARD')!;
    expect(BigInt(String(reward[3]))).toBeGreaterThan(0n);
    expect(staker).toEqual([
      ...around('8', ['8', 'nhash', 'DELEGATION', '-1000000000', pool]),
      ...around('10', ['10', 'nhash', 'REWARD', reward[3], distribution]),
      ...around('11', ['11', 'nhash', 'REWARD', expect.any(String), distribution]),
      ...around('12', ['12', 'nhash', 'SEND', '-7', at(4)], ['12', 'nhash', 'SEND', '7', at(4)]),
    ]);
  });

  it('is the same between heights and between times, under /v1 and at another height of the operation', async () => {
    const { address } = chain.accounts[4]!;
    const [from, to] = await Promise.all([3n, 10n].map(async (height) => (await stack.client.block(height)).header.time));
    const statement = await statementOf(address, 3, 10);
    expect(statement).toMatchObject({ from: '3', to: '10', completeFrom: '4' });
    expect(await statementOf(address, from!, to)).toEqual(statement);
    const { body } = await stack.ask(document, { address, from: '3' }, { 'x-cosmos-block-height': '10' });
    expect((body.data as { account: { statement: Statement } }).account.statement).toEqual(statement);

    const url = `${stack.server.url}/v1/accounts/${address}/statement?from=3&to=10`;
    const json = JSON.parse((await send(url)).body) as {
      items: readonly (Omit<Denom, 'lines'> & { lines: Record<string, string | null>[] })[];
    };
    expect(json).toMatchObject({ address, from: '3', fromTime: from, to: '10', toTime: to, completeFrom: '4' });
    const viewOf = ({ kind, amount, balance, blockHeight, counterparty }: Record<string, string | null>) => ({
      ...{ kind, amount, balance, height: blockHeight },
      counterparty: counterparty == null ? null : { address: counterparty },
    });
    expect(json.items.map((item) => ({ ...item, lines: item.lines.map(viewOf) }))).toEqual(statement.denoms);
    const hash = json.items.find(({ denom }) => denom === 'nhash')!.lines;
    expect(hash[1]).toMatchObject({ amount: '-1000000000', displayAmount: '-1' });

    const csv = await send(url, { headers: { accept: 'text/csv' } });
    const [names, ...rows] = parseCsv(csv.body);
    expect(names!.join()).toBe(
      'denom,blockHeight,blockTime,kind,counterparty,amount,displayAmount,balance,displayBalance,usdValue,transactionHash',
    );
    const lines = json.items.flatMap(({ denom, lines: all }) => all.map((line) => ({ denom, ...line })));
    expect(rows).toEqual(lines.map((line) => names!.map((name) => (line as Record<string, string | null>)[name] ?? '')));
    const ndjson = await send(url, { headers: { accept: 'application/x-ndjson' } });
    expect(
      ndjson.body
        .trimEnd()
        .split('\n')
        .map((text) => JSON.parse(text)),
    ).toEqual(lines);
  });

  it('is a header without rows in CSV if nothing moved', async () => {
    const url = `${stack.server.url}/v1/accounts/${chain.accounts[0]!.address}/statement?from=5&to=5`;
    expect(parseCsv((await send(url, { headers: { accept: 'text/csv' } })).body).map(([first]) => first)).toEqual(['denom']);
    expect((await send(url, { headers: { accept: 'application/x-ndjson' } })).body).toBe('');
  });

  it('has the closing balance in the display unit', async () => {
    const { address } = chain.accounts[4]!;
    const { body } = await stack.ask(
      `query ($address: String!) { account(address: $address) { statement(from: "1") { denoms { denom closing display { amount symbol exponent } } } } }`,
      { address },
    );
    const { account } = body.data as {
      account: { statement: { denoms: { denom: string; closing: string; display: { amount: string } | null }[] } };
    };
    const { closing, display } = account.statement.denoms.find(({ denom }) => denom === 'nhash')!;
    const amount = `${closing.slice(0, -9)}.${closing.slice(-9)}`.replace(/\.?0+$/, '');
    expect(display).toEqual({ amount, symbol: 'HASH', exponent: 9 });
  });

  it('has the value of each balance by the net asset value at its height', async () => {
    const { address } = chain.accounts[2]!;
    const { body } = await stack.ask(
      `query ($address: String!) { account(address: $address) { statement(from: "1", to: "6") { denoms {
        denom openingValue { amount } closingValue { amount } lines { height value { amount } } } } } }`,
      { address },
    );
    type Value = { readonly amount: string } | null;
    interface Valued {
      readonly denom: string;
      readonly openingValue: Value;
      readonly closingValue: Value;
      readonly lines: readonly { readonly height: string; readonly value: Value }[];
    }
    const { denoms } = (body.data as { account: { statement: { denoms: Valued[] } } }).account.statement;
    /** The value of what the account holds at the end of a block. */
    const valueAt = async (height: string, denom: string): Promise<Value> => {
      const query = `query ($address: String!, $denom: String!) { account(address: $address) { balance(denom: $denom) { value { amount } } } }`;
      const answer = await stack.ask(query, { address, denom }, { 'x-cosmos-block-height': height });
      return (answer.body.data as { account: { balance: { value: Value } | null } }).account.balance?.value ?? null;
    };
    let valued = 0;
    for (const { denom, openingValue, closingValue, lines } of denoms) {
      const none = closingValue === null ? null : { amount: '0' };
      expect(openingValue, denom).toEqual((await valueAt('1', denom)) ?? none);
      expect(closingValue, denom).toEqual(await valueAt('6', denom));
      const last = lines.at(-1);
      if (last !== undefined) expect(last.value).toEqual(await valueAt(last.height, denom));
      if (last?.value != null) valued += 1;
    }
    expect(valued).toBeGreaterThan(0);
    const url = `${stack.server.url}/v1/accounts/${address}/statement?from=1&to=6`;
    const { items } = JSON.parse((await send(url)).body) as { items: { lines: { usdValue: string | null }[] }[] };
    expect(items.flatMap(({ lines }) => lines).filter(({ usdValue }) => usdValue !== null).length).toBeGreaterThan(0);
  });

  it('says what the events do not explain, in a line of its own', async () => {
    const other = await startStack([chain.node.url]);
    await other.client.head.ready();
    chain.node.faults.forge = ({ method }, result) => (method === 'tx_search' ? { txs: [], total_count: '0' } : result);
    const { address } = chain.accounts[4]!;
    const statement = await statementOf(address, 1, 9, other);
    chain.node.heal();
    expectSums(statement);
    const { lines, opening, closing } = statement.denoms.find(({ denom }) => denom === 'nhash')!;
    const unexplained = { kind: 'UNEXPLAINED', height: null, counterparty: null };
    expect(lines).toMatchObject([{ ...unexplained, amount: `${BigInt(closing) - BigInt(opening)}`, balance: closing }]);
    await other.close();
  });

  it('is refused for places that do not exist or are in the wrong order', async () => {
    const { address } = chain.accounts[0]!;
    const refused = async (from: string, to?: string) => {
      const { body } = await stack.ask(document, { address, from, to });
      const [error] = body.errors!;
      return [error!.extensions?.code, error!.extensions?.argument ?? null];
    };
    expect(await refused('5', '4')).toEqual(['BAD_USER_INPUT', 'from']);
    expect(await refused('0')).toEqual(['BAD_USER_INPUT', 'from']);
    expect(await refused('yesterday')).toEqual(['BAD_USER_INPUT', 'from']);
    expect(await refused('1', '2026-13-01T00:00:00Z')).toEqual(['BAD_USER_INPUT', 'to']);
    expect(await refused('1', `${last + 1n}`)).toEqual(['HEIGHT_NOT_YET_AVAILABLE', null]);
    expect(await refused('1', '2100-01-01T00:00:00Z')).toEqual(['HEIGHT_NOT_YET_AVAILABLE', null]);
    expect(await refused('2000-01-01T00:00:00Z')).toEqual(['HEIGHT_PRUNED', null]);
    const rest = await send(`${stack.server.url}/v1/accounts/${address}/statement`);
    expect([rest.status, JSON.parse(rest.body)]).toMatchObject([400, { code: 'BAD_USER_INPUT', field: 'from' }]);
  });

  it('adds up for every account and any range, and nothing is unexplained', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(9), fc.bigInt(1n, last), fc.bigInt(1n, last), async (index, one, other) => {
        const [from, to] = one < other ? [one, other] : [other, one];
        const statement = await statementOf(chain.accounts[index]!.address, from, to);
        expect([statement.from, statement.to]).toEqual([`${from}`, `${to}`]);
        expectSums(statement);
        expect(statement.denoms.filter(({ unexplained }) => unexplained !== '0')).toEqual([]);
      }),
      { numRuns: rounds(200) },
    );
  });
});
