import type { Any } from '@bufbuild/protobuf/wkt';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createRandom } from '../../../packages/devnet/src/app/runtime/random.ts';
import type { WalletAccount } from '../../../packages/devnet/src/app/runtime/wallet.ts';
import type { EarlierLife, Fact } from '../../../src/archive/facts.ts';
import type { Client } from '../../../src/chain/client.ts';
import type { JsonObject, JsonValue } from '../../../src/chain/wire/json.ts';
import { createRecorder } from '../../../src/modules/group/recorder/recorder.ts';
import { MsgSendSchema } from '../../../src/proto/cosmos/bank/v1beta1/tx_pb.js';
import { createPin } from '../../../src/reads/pin.ts';
import { runsAll, seed } from '../../support/atRandom.ts';
import { any, startChain, type TestChain } from '../../support/chain.ts';
import {
  createGroup,
  describePolicy,
  exec,
  proposal,
  submitProposal,
  type TestGroup,
  vote,
  weigh,
  withdraw,
} from '../../support/groups.ts';
import { type Stack, startStack } from '../../support/stack.ts';

// An archive that begins in the middle of lives, beside one that has recorded them from the first block on.

const place = '{ height time hash }';
const query = `query ($after: String) {
  proposalRecords(first: 50, after: $after) { pageInfo { hasNextPage endCursor } nodes {
    id groupId title status executorResult closedBy closed ${place} pruned ${place} submitted ${place} complete singleTransaction
    tally { yesCount abstainCount noCount noWithVetoCount } totalWeight groupVersion groupPolicyVersion submitTime votingPeriodEnd
    decisionPolicy { ... on ThresholdDecisionPolicy { threshold } } audit { agrees }
    proposers { address } electorate { nodes { account { address } weight vote { option } } }
    votes { nodes { voter { address } option metadata origin weight at ${place} } }
    executions { result logs executor { address } at ${place} }
  } }
}`;

type Json = null | boolean | string | number | readonly Json[] | { readonly [name: string]: Json };
interface RecordView {
  readonly [name: string]: Json;
  readonly id: string;
  readonly status: string;
  readonly closedBy: string | null;
  readonly closed: { readonly height: string | null; readonly time: string | null } | null;
  readonly executions: readonly { readonly [name: string]: Json; readonly at: { readonly height: string | null } }[];
  readonly submitted: { readonly height: string | null } | null;
}

let chain: TestChain;
let stacks: Stack[] = [];
const groups: { readonly group: TestGroup; readonly admin: WalletAccount; readonly isStable: boolean }[] = [];
let proposals = 0;

const { below, pick } = createRandom(seed);
const one = <T>(items: readonly T[]): T => pick(items)!;

/** A message of an account, at random. */
function act(who: WalletAccount): Any {
  const { group, admin, isStable } = one(groups);
  // Young proposals, so that most are open.
  const id = BigInt(Math.max(1, proposals - below(7)));
  const kind = below(20);
  if (kind < 5) {
    proposals += 1;
    return proposal(group, [who], { amount: one(['0', '5', '5']), exec: below(4) === 0, title: `Number ${proposals}` });
  }
  if (kind < 15) return vote(who, id, one(['YES', 'YES', 'NO', 'NO', 'ABSTAIN']), below(4) === 0);
  if (kind < 17) return exec(who, id);
  if (kind === 17) return withdraw(who, id);
  if (kind === 18 && who === admin && group === groups[1]?.group) return describePolicy(admin, group, `${below(99)}`);
  if (kind === 19 && who === admin && !isStable)
    return weigh(admin, group, [[one(chain.accounts.slice(0, 4)), one(['1', '2'])]]);
  return vote(who, id, 'YES', true);
}

async function commitBlocks(count: number): Promise<void> {
  for (let block = 0; block < count; block += 1) {
    for (const who of chain.accounts.slice(0, 4)) if (below(4) > 0) await chain.submit(who, act(who));
    await chain.devnet.commit({ elapse: 500 + below(4_000) });
  }
}

interface Page {
  readonly proposalRecords: {
    readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string };
    readonly nodes: readonly RecordView[];
  };
}

/** All records by their id. */
async function recordsOf(stack: Stack): Promise<ReadonlyMap<string, RecordView>> {
  const records = new Map<string, RecordView>();
  for (let after: string | undefined; ; ) {
    const { body } = await stack.ask(query, { after }, { 'x-min-height': `${chain.devnet.height}` });
    expect(body.errors).toBeUndefined();
    const { nodes, pageInfo } = (body.data as Page).proposalRecords;
    for (const record of nodes) records.set(record.id, record);
    if (!pageInfo.hasNextPage) return records;
    after = pageInfo.endCursor;
  }
}

/** Starts a server with an archive. `done` resolves with the line of the log about what was found. */
async function startArchive(): Promise<{ readonly stack: Stack; readonly done: Promise<string> }> {
  let resolve: (line: string) => void;
  const done = new Promise<string>((settle) => {
    resolve = settle;
  });
  const limits = { 'graphql.cost': 10_000_000 };
  const stack = await startStack([chain.node.url], {
    archive: { records: true, onBackfill: (line) => resolve(line) },
    server: { limits },
  });
  stacks.push(stack);
  return { stack, done };
}

/** What the state does not show of a proposal, where a record has no null for it. */
const notShown = (name: string, value: Json): boolean =>
  name === 'complete' ||
  name === 'singleTransaction' ||
  (name === 'origin' && value === 'OTHER') ||
  (name === 'logs' && value === '');

/** Where a value says something else than the truth. Null, and an item that is missing in a list, say nothing. */
function contradictions(value: Json, truth: Json, path: string): readonly string[] {
  if (value === null) return [];
  if (Array.isArray(value) && Array.isArray(truth))
    return value.flatMap((item, index) => {
      const isIn = truth.some((each) => contradictions(item, each, path).length === 0);
      return isIn ? [] : [`${path}.${index}: ${JSON.stringify(item)} is none of ${JSON.stringify(truth)}`];
    });
  if (typeof value === 'object' && typeof truth === 'object' && truth !== null)
    return Object.entries(value).flatMap(([name, each]) =>
      notShown(name, each) ? [] : contradictions(each, (truth as Record<string, Json>)[name] ?? null, `${path}.${name}`),
    );
  return value === truth ? [] : [`${path}: ${JSON.stringify(value)} for ${JSON.stringify(truth)}`];
}

function allContradictions(late: ReadonlyMap<string, RecordView>, truth: ReadonlyMap<string, RecordView>): readonly string[] {
  return [...late].flatMap(([id, record]) => contradictions(record, truth.get(id) ?? null, id));
}

let truth: Stack;

beforeAll(async () => {
  chain = await startChain({ bare: true });
  truth = (await startArchive()).stack;
  const people = chain.accounts.slice(0, 4);
  const weights = ['1', '1', '2', '1.5'];
  for (const [index, votingSeconds] of [12, 600, 25].entries()) {
    const members = [...people.slice(index), ...people.slice(0, index)].map(
      (person, place) => [person, weights[place]!] as const,
    );
    const group = await createGroup(chain, members, { threshold: one(['2', '3', '4']), votingSeconds });
    groups.push({ group, admin: members[0]![0], isStable: index !== 2 });
    // Half of the payments can be made.
    if (index !== 1)
      await chain.run(
        people[0]!,
        any(MsgSendSchema, {
          fromAddress: people[0]!.address,
          toAddress: group.policy,
          amount: [{ denom: 'nhash', amount: index === 0 ? '60' : '5' }],
        }),
      );
  }
  await commitBlocks(200);
  // These also happen at random, but not in every history.
  const [ann, ...others] = people as [WalletAccount, ...WalletAccount[]];
  const { group, admin } = groups[1]!;
  await chain.run(ann, withdraw(ann, await submitProposal(chain, group, ann)));
  await submitProposal(chain, group, ann);
  await chain.run(admin, describePolicy(admin, group, 'last'));
  const refused = await submitProposal(chain, group, ann);
  for (const person of others) await chain.run(person, vote(person, refused, 'NO'));
  await chain.run(ann, exec(ann, refused));
  // Its policy cannot pay.
  const unpaid = await submitProposal(chain, group, ann, { amount: '5' });
  for (const person of others) await chain.run(person, vote(person, unpaid));
  await chain.run(ann, exec(ann, unpaid));
  const passed = await submitProposal(chain, groups[0]!.group, ann);
  for (const person of people) await chain.run(person, vote(person, passed));
  await chain.devnet.commit({ elapse: 15_000 });
}, 120_000);

afterAll(async () => {
  for (const stack of stacks) {
    expect(stack.masked).toEqual([]);
    await stack.close();
  }
  stacks = [];
  await chain.devnet.close();
});

it.runIf(runsAll)('without an index of transactions, what came before the recording is null or true', async () => {
  chain.node.faults.noIndex = true;
  const { stack, done } = await startArchive();
  expect(await done).toMatch('no node has an index of transactions');
  await commitBlocks(5);
  const [late, all] = [await recordsOf(stack), await recordsOf(truth)];
  expect(late.size).toBeGreaterThan(10);
  expect(allContradictions(late, all)).toEqual([]);
  expect([...late.values()].filter(({ closed }) => closed !== null && closed.height === null).length).toBeGreaterThan(5);
});

it.runIf(runsAll)(
  'what blocks and events still show is found: closes, reasons, executors and executions',
  async () => {
    chain.node.heal();
    const { stack, done } = await startArchive();
    const line = await done;
    await commitBlocks(5);
    const [late, all] = [await recordsOf(stack), await recordsOf(truth)];
    expect(allContradictions(late, all)).toEqual([]);
    const part = ({ id, status, closedBy, closed, executions }: RecordView) => ({ id, status, closedBy, closed, executions });
    /** Whether an execution that ran nothing has rejected it, or not, only the policy and the weights of then tell, which may have changed since. */
    const mayBeUnknown = ({ status, executions, closedBy }: RecordView): boolean =>
      status === 'PROPOSAL_STATUS_REJECTED' && executions.length > 0 && closedBy === null;
    const known = [...late.values()].filter((record) => !mayBeUnknown(record));
    const expected = known.map(({ id }) => part(all.get(id)!));
    expect(known.map(part)).toEqual(expected);
    expect(late.size - known.length).toBeLessThan(late.size / 5);
    const isBefore = ({ id }: Pick<RecordView, 'id'>): boolean => late.get(id)!.submitted === null;
    const reasons = expected
      .filter((record) => isBefore(record) && record.closed !== null)
      .map(({ status, closedBy }) => `${closedBy} ${status}`);
    expect([...new Set(reasons)].sort()).toEqual([
      'ABORTED PROPOSAL_STATUS_ABORTED',
      'DECIDED PROPOSAL_STATUS_ACCEPTED',
      'DECIDED PROPOSAL_STATUS_REJECTED',
      'VOTING_ENDED PROPOSAL_STATUS_ACCEPTED',
      'VOTING_ENDED PROPOSAL_STATUS_REJECTED',
      'WITHDRAWN PROPOSAL_STATUS_WITHDRAWN',
    ]);
    expect(line).toMatch(/^found what came before the recording of \d+ of \d+ proposals$/);
  },
  60_000,
);

/** A client of a node whose index begins at a height: searches find nothing below it. */
function withIndexFrom(client: Client, from: bigint): Client {
  const call = async (
    method: string,
    params?: JsonObject,
    options: { decode?: (json: JsonValue) => unknown } = {},
  ): Promise<unknown> => {
    const { decode = (json) => json, ...rest } = options;
    const result = (await client.call(method, params, rest)) as { txs?: { height: string }[]; blocks?: { block: BlockJson }[] };
    const txs = result.txs?.filter(({ height }) => BigInt(height) >= from);
    const found = result.blocks?.filter(({ block }) => BigInt(block.header.height) >= from);
    const kept = txs ?? found;
    const cut = kept && { ...(txs ? { txs } : { blocks: found }), total_count: `${kept.length}` };
    return decode((cut ?? result) as JsonValue);
  };
  return { ...client, call: call as Client['call'] };
}

interface BlockJson {
  readonly header: { readonly height: string };
}

it.runIf(runsAll)(
  'an index that does not reach back to the submission proves little, and nothing false',
  async () => {
    const all = await recordsOf(truth);
    const base = chain.devnet.height;
    const recorder = createRecorder();
    const facts = await recorder.start(createPin(truth.client, base));
    const of = <K extends Fact['kind']>(kind: K) =>
      facts.filter((fact): fact is Extract<Fact, { kind: K }> => fact.kind === kind);
    const said = new Map<string, number>();
    for (const from of [base / 4n, base / 2n, (base * 3n) / 4n]) {
      const client = withIndexFrom(truth.client, from);
      for (const proposal of of('proposal')) {
        const close = of('close').find(({ proposalId }) => proposalId === proposal.id);
        const life: EarlierLife = {
          ...{ proposal, base, status: close?.status ?? null, tally: close?.tally ?? null },
          group: of('group').find(({ groupId }) => groupId === proposal.groupId) ?? null,
          policy: of('policy').find(({ address }) => address === proposal.groupPolicyAddress) ?? null,
        };
        const found = await recorder.earlier(life, createPin(client, base));
        const { closed, closedBy, executions } = all.get(`${proposal.id}`)!;
        const heights = executions.map(({ at }) => at.height);
        expect(heights).toEqual(expect.arrayContaining(found.executions.map(({ at }) => `${at.height}`)));
        if (found.close !== null)
          expect([`${found.close.at.height}`, found.close.by ?? closedBy]).toEqual([closed?.height, closedBy]);
        const isLater = BigInt(all.get(`${proposal.id}`)!.submitted!.height!) >= from;
        const name = `${found.close === null ? 'unknown' : 'known'}, submitted ${isLater ? 'within' : 'before'}`;
        said.set(name, (said.get(name) ?? 0) + 1);
      }
    }
    expect([...said.keys()]).toEqual(expect.arrayContaining(['unknown, submitted before', 'known, submitted within']));
  },
  60_000,
);
