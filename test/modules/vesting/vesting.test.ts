import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { lockedAt, type Vesting, vestedAt } from '../../../src/modules/vesting/vesting.ts';
import { type CallsNode, createCallsNode } from '../../replay/recordedCalls.ts';
import { type Stack, startStack } from '../../support/stack.ts';

const accounts = {
  CONTINUOUS: 'wasm179skchc2c5l04hjstg3ha35u3855vx4klw9nj7',
  PERIODIC: 'wasm1awnm6jypz0h2gc6xd6ramnf5u3ykqcp8vjptv2',
  PERMANENT_LOCKED: 'wasm18n3jmuguf3zjraujrj9wvg3djfaxuvz3mgzs07',
  DELAYED: 'wasm1uuwvc0eh5uawsw9cswzklymfyp2uus97r3nr7q',
};

let node: CallsNode;
let stack: Stack;

beforeAll(async () => {
  node = await createCallsNode('contracts');
  stack = await startStack([node.url]);
  await stack.client.head.ready({ milliseconds: 10_000 });
});
afterAll(async () => {
  await stack.close();
  await node.close();
  expect(stack.masked).toEqual([]);
  expect(node.unrecorded).toEqual([]);
});

const coins = '{ denom amount }';
type Coins = readonly { readonly denom: string; readonly amount: string }[];

async function vesting(address: string, height: string) {
  const document = `{ account(address: "${address}") { vesting { type start end
    original ${coins} delegatedFree ${coins} delegatedVesting ${coins} vestedNow ${coins} lockedNow ${coins}
    schedule { time amount ${coins} }
  } } }`;
  const { body } = await stack.ask(document, {}, { 'x-cosmos-block-height': height });
  expect(body.errors).toBeUndefined();
  return (body.data as { account: { vesting: Record<string, never> | null } }).account.vesting;
}

/** The coins of an account that can be sent, as the node says. Nothing was delegated or sent: they are those that have vested. */
function spendable(address: string, height: string): Coins {
  const { balances } = node.rest(`/cosmos/bank/v1beta1/spendable_balances/${address}`, height) as unknown as {
    balances: Coins;
  };
  return balances.filter(({ amount }) => amount !== '0');
}

describe('the vesting of an account of a real chain', () => {
  it.each(['100', '1001', '2002', 'head'])(
    'that is continuous has vested at height %s what the node lets it spend',
    async (at) => {
      const height = at === 'head' ? node.head : at;
      const shown = await vesting(accounts.CONTINUOUS, height);
      const free = spendable(accounts.CONTINUOUS, height);
      expect(shown).toMatchObject({
        type: 'CONTINUOUS',
        vestedNow: free,
        original: [{ denom: 'stake', amount: '5000000' }],
        schedule: [],
      });
      const locked = 5_000_000n - BigInt(free[0]?.amount ?? '0');
      expect(shown!.lockedNow).toEqual([{ denom: 'stake', amount: String(locked) }]);
      expect(shown).toMatchObject({ start: '2026-11-23T20:04:42Z', end: '2026-11-24T20:04:42Z' });
    },
  );

  it('that is periodic, delayed or permanent has vested what the node lets it spend', async () => {
    const periodic = await vesting(accounts.PERIODIC, node.head);
    expect(periodic).toMatchObject({
      type: 'PERIODIC',
      original: [
        { denom: 'stake', amount: '60' },
        { denom: 'ucosm', amount: '5' },
      ],
      schedule: [
        { time: '2026-11-23T20:49:16Z', amount: [{ denom: 'stake', amount: '10' }] },
        { time: '2026-11-23T20:50:56Z', amount: [{ denom: 'stake', amount: '20' }] },
        {
          time: '2026-11-24T20:50:56Z',
          amount: [
            { denom: 'stake', amount: '30' },
            { denom: 'ucosm', amount: '5' },
          ],
        },
      ],
      vestedNow: spendable(accounts.PERIODIC, node.head),
    });
    expect(periodic!.vestedNow).toEqual([{ denom: 'stake', amount: '30' }]);
    expect(await vesting(accounts.DELAYED, node.head)).toMatchObject({
      ...{ type: 'DELAYED', start: null, vestedNow: spendable(accounts.DELAYED, node.head) },
      ...{
        vestedNow: [],
        lockedNow: [{ denom: 'stake', amount: '888' }],
        schedule: [{ amount: [{ denom: 'stake', amount: '888' }] }],
      },
    });
    expect(await vesting(accounts.PERMANENT_LOCKED, node.head)).toMatchObject({
      ...{ type: 'PERMANENT_LOCKED', start: null, end: null, schedule: [] },
      ...{ vestedNow: spendable(accounts.PERMANENT_LOCKED, node.head), lockedNow: [{ denom: 'stake', amount: '777' }] },
    });
  });

  it('is null for other accounts, and needs the account and its block alone', async () => {
    expect(await vesting('wasm18s5lynnmx37hq4wlrw9gdn68sg2uxp5r23gln4', node.head)).toBeNull();
    node.calls.length = 0;
    const fresh = await startStack([node.url]);
    await fresh.client.head.ready({ milliseconds: 10_000 });
    node.calls.length = 0;
    await fresh.ask(
      `{ account(address: "${accounts.CONTINUOUS}") { kind vesting { vestedNow ${coins} lockedNow ${coins} } } }`,
      {},
      { 'x-cosmos-block-height': '100' },
    );
    expect(node.calls.filter((path) => path === 'block' || path.startsWith('/cosmos.auth.v1beta1.Query/Account'))).toHaveLength(
      2,
    );
    await fresh.close();
  });

  it('fails alone if the time of the block cannot be read', async () => {
    const { body } = await stack.ask(
      `{ account(address: "${accounts.CONTINUOUS}") { kind vesting { type vestedNow ${coins} } } }`,
      {},
      { 'x-cosmos-block-height': '101' },
    );
    expect(body.errors!.length).toBeGreaterThan(0);
    expect(body.data).toMatchObject({ account: { kind: 'VESTING', vesting: null } });
    node.unrecorded.length = 0;
  });
});

describe('the coins of a vesting', () => {
  const second = 1_000_000_000n;
  const terms: Vesting = {
    ...{ type: 'CONTINUOUS', start: 0n, end: 3n * second, schedule: [], delegatedFree: [] },
    original: [{ denom: 'stake', amount: '100' }],
    delegatedVesting: [{ denom: 'stake', amount: '40' }],
  };

  it('are rounded as the chain rounds them, and vest from the second after the start', () => {
    const at = (time: bigint) => vestedAt(terms, time)[0]?.amount ?? '0';
    expect([0n, second - 1n, second, 2n * second, 3n * second - 1n, 3n * second, 9n * second].map(at)).toEqual([
      '0',
      '0',
      '33',
      '67',
      '67',
      '100',
      '100',
    ]);
  });

  it('are not locked as far as they are delegated', () => {
    const at = (time: bigint) => lockedAt(terms, time)[0]?.amount ?? '0';
    expect([0n, second, 2n * second, 3n * second].map(at)).toEqual(['60', '27', '0', '0']);
  });
});
