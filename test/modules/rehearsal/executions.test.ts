import type { Any } from '@bufbuild/protobuf/wkt';
import { beforeAll, describe, expect, it } from 'vitest';
import type { WalletAccount } from '../../../packages/devnet/src/app/runtime/wallet.ts';
import type { Event } from '../../../src/chain/base/execution.ts';
import { effectsOf } from '../../../src/modules/rehearsal/result.ts';
import { MsgMultiSendSchema, MsgSendSchema } from '../../../src/proto/cosmos/bank/v1beta1/tx_pb.js';
import { MsgCreateGroupSchema } from '../../../src/proto/cosmos/group/v1/tx_pb.js';
import { AttributeType } from '../../../src/proto/provenance/attribute/v1/attribute_pb.js';
import { MsgAddAttributeRequestSchema } from '../../../src/proto/provenance/attribute/v1/tx_pb.js';
import { fc, runsAll, seed, sizeOf } from '../../support/atRandom.ts';
import { any, startChain, type TestChain } from '../../support/chain.ts';
import { createGroup, exec, submitProposal, type TestGroup, vote } from '../../support/groups.ts';
import { type Stack, startStack } from '../../support/stack.ts';

/** The proposals of the test. Build machines run all. */
const count = sizeOf({ full: 100, ci: 40 });

let chain: TestChain;
let stack: Stack;
let a: WalletAccount;
let b: WalletAccount;
let payees: readonly WalletAccount[];
let group: TestGroup;

beforeAll(async () => {
  chain = await startChain();
  stack = await startStack([chain.node.url], {
    client: { simulation: { everywhere: true } },
    server: { limits: { 'rehearsal.perMinute': 10_000 } },
  });
  [a, b] = chain.accounts.slice(5) as [WalletAccount, WalletAccount];
  // These pay no fees, so that a proposal alone changes what they have.
  payees = chain.accounts.slice(0, 4);
  group = await createGroup(
    chain,
    [
      [a, '1'],
      [b, '1'],
    ],
    { votingSeconds: 100_000 },
  );
  await chain.run(a, send(a.address, group.policy, 1_000_000));
  return async () => {
    await stack.close();
    await chain.devnet.close();
  };
});

const coins = (amount: number) => [{ denom: 'nhash', amount: `${amount}` }];
const send = (from: string, to: string, amount: number): Any =>
  any(MsgSendSchema, { fromAddress: from, toAddress: to, amount: coins(amount) });

/** Messages of a proposal: payments that the policy can make or not, several at once, and others that succeed or fail. */
const messages = (): fc.Arbitrary<readonly Any[]> => {
  const payee = fc.integer({ min: 0, max: 3 }).map((index) => payees[index]!.address);
  const amount = fc.oneof(
    fc.integer({ min: 1, max: 50 }),
    fc.integer({ min: 1, max: 3_000 }),
    fc.integer({ min: 2_000_000, max: 3_000_000 }),
  );
  const message = fc.oneof(
    { weight: 4, arbitrary: fc.tuple(payee, amount).map(([to, value]) => send(group.policy, to, value)) },
    fc.tuple(payee, payee, fc.integer({ min: 1, max: 30 })).map(([one, other, value]) =>
      any(MsgMultiSendSchema, {
        inputs: [{ address: group.policy, coins: coins(2 * value) }],
        outputs: [one, other].map((address) => ({ address, coins: coins(value) })),
      }),
    ),
    payee.map((address) => any(MsgCreateGroupSchema, { admin: group.policy, members: [{ address, weight: '1' }] })),
    // The policy does not own the name.
    payee.map((account) =>
      any(MsgAddAttributeRequestSchema, {
        name: 'kyc.pb',
        value: Buffer.from('x'),
        attributeType: AttributeType.STRING,
        account,
        owner: group.policy,
      }),
    ),
  );
  return fc.array(message, { minLength: 1, maxLength: 4 });
};

interface Rehearsal {
  readonly outcome: string;
  readonly height: string;
  readonly failedMessage: { readonly index: number | null; readonly error: string } | null;
  readonly balanceChanges: readonly {
    readonly account: { readonly address: string };
    readonly denom: string;
    readonly after: string;
  }[];
  readonly events: readonly {
    readonly type: string;
    readonly attributes: readonly { readonly key: string; readonly value: string }[];
  }[];
}

async function rehearsalOf(id: bigint): Promise<Rehearsal> {
  await expect.poll(() => stack.client.head.current()?.height, { interval: 5 }).toBe(chain.devnet.height);
  const query = `{ proposal(id: "${id}") { rehearsal { outcome height failedMessage { index error } balanceChanges { account { address } denom after }
    events { type attributes { key value } } } } }`;
  const { body } = await stack.ask(query);
  expect(body.errors).toBeUndefined();
  return (body.data as { proposal: { rehearsal: Rehearsal } }).proposal.rehearsal;
}

/** Executes a proposal in the next block, with the votes that it lacks and what comes before. Returns the events of the execution. */
async function execute(id: bigint, before: readonly Any[] = []): Promise<readonly Event[]> {
  if (before.length > 0) await chain.submit(payees[0]!, ...before);
  await chain.submit(a, vote(a, id));
  await chain.submit(b, vote(b, id));
  await chain.submit(a, exec(a, id));
  const height = await chain.devnet.commit();
  const results = await stack.client.call('block_results', { height: `${height}` });
  const { txs_results: all } = results as unknown as {
    txs_results: readonly { code: number; log: string; events: readonly Event[] }[];
  };
  const last = all.at(-1)!;
  expect([last.code, last.log]).toEqual([0, '']);
  return last.events;
}

async function balance(address: string, denom: string): Promise<string> {
  await expect.poll(() => stack.client.head.current()?.height, { interval: 5 }).toBe(chain.devnet.height);
  const { body } = await stack.ask(`{ account(address: "${address}") { balance(denom: "${denom}") { amount } } }`);
  return (body.data as { account: { balance: { amount: string } } }).account.balance.amount;
}

const plain = (events: readonly { type: string; attributes: readonly { key: string; value: string }[] }[]) =>
  events.map(({ type, attributes }) => [type, ...attributes.map(({ key, value }) => `${key}=${value}`)]);

describe('a rehearsal one block before the execution', () => {
  it.runIf(runsAll)(
    `equals it in ${count} of ${count} proposals: outcome, balances, events`,
    { timeout: 300_000 },
    async () => {
      const outcomes: Record<string, number> = {};
      for (const [index, list] of fc.sample(messages(), { numRuns: count, seed }).entries()) {
        const id = await submitProposal(chain, group, a, { messages: list });
        const rehearsal = await rehearsalOf(id);
        expect(rehearsal.height).toBe(`${chain.devnet.height}`);
        const effects = effectsOf(await execute(id), 0, id)!;
        const found = { index, outcome: effects.failed === null ? 'SUCCEEDS' : 'FAILS', failedMessage: effects.failed };
        expect({ index, outcome: rehearsal.outcome, failedMessage: rehearsal.failedMessage }).toEqual(found);
        expect(plain(rehearsal.events)).toEqual(plain(effects.events));
        for (const { account, denom, after } of rehearsal.balanceChanges)
          expect(await balance(account.address, denom)).toBe(after);
        outcomes[rehearsal.outcome] = (outcomes[rehearsal.outcome] ?? 0) + 1;
      }
      console.log(`rehearsals that equal their execution: ${JSON.stringify(outcomes)}`);
      expect(Object.keys(outcomes).toSorted()).toEqual(['FAILS', 'SUCCEEDS']);
    },
  );

  it('differs only by what changes in between: the policy spends its coins in the same block', async () => {
    const id = await submitProposal(chain, group, a, { messages: [send(group.policy, payees[1]!.address, 5)] });
    expect(await rehearsalOf(id)).toMatchObject({ outcome: 'SUCCEEDS' });
    const rest = Number(await balance(group.policy, 'nhash'));
    const drain = await submitProposal(chain, group, a, { messages: [send(group.policy, payees[1]!.address, rest)] });
    await chain.run(a, vote(a, drain));
    await chain.run(b, vote(b, drain));
    await rehearsalOf(id);
    const effects = effectsOf(await execute(id, [exec(payees[0]!, drain)]), 0, id)!;
    expect(effects.failed).toMatchObject({ index: 0, error: expect.stringContaining('insufficient funds') });
  });
});
