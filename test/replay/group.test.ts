import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../../src/chain/client.ts';
import type { JsonObject, JsonValue } from '../../src/chain/wire/json.ts';
import { type QueryRow, readRecording } from '../recordings/recordings.ts';
import { readRegistry } from '../recordings/registry.ts';
import { some } from '../support/atRandom.ts';
import { startStack } from '../support/stack.ts';
import { type Operation, operationOf } from './groupOperations.ts';
import { createReplayNode, type ReplayNode, type ReplayOptions } from './replayNode.ts';
import { owedBy } from './restShapes.ts';

interface Answer {
  readonly data?: Record<string, JsonValue> | null;
  readonly errors?: { readonly message: string; readonly extensions: { readonly code: string } }[];
  readonly extensions?: { readonly height?: string };
}

interface Stele {
  readonly node: ReplayNode;
  readonly client: Client;
  ask(operation: Operation, height?: string): Promise<Answer>;
  close(): Promise<void>;
}

const registry = readRegistry();
const world = readRecording('world');
const rows = readRecording('queries').filter(({ path }) => path.startsWith('/cosmos.group.'));
const rowNamed = (name: string): QueryRow => rows.find((row) => row.name === name)!;

/** Starts Stele over a replay node. */
async function startStele(options: ReplayOptions): Promise<Stele> {
  const node = await createReplayNode(options);
  const stack = await startStack([node.url]);
  return {
    node,
    client: stack.client,
    ask: async ({ document, variables }, height) => {
      const { body } = await stack.ask(
        document as never,
        variables as never,
        height ? { 'x-cosmos-block-height': height } : {},
      );
      if (stack.masked.length > 0) throw stack.masked[0];
      return body as Answer;
    },
    close: async () => {
      await stack.close();
      await node.close();
    },
  };
}

/** Returns the answer without its cursors, which no row contains. */
function shown({ data, errors }: Answer): JsonObject {
  if (errors?.[0] !== undefined) return { code: errors[0].extensions.code };
  const answer = data?.answer as JsonObject | null;
  if (answer === null || !Array.isArray(answer.nodes)) return { answer };
  const { hasNextPage = null } = answer.pageInfo as JsonObject;
  return { answer: { ...answer, pageInfo: { hasNextPage } } };
}

function cursorOf({ data }: Answer): string {
  const { answer } = data as { answer: { pageInfo: { endCursor: string } } };
  return answer.pageInfo.endCursor;
}

/** Rows that are not one operation with the same result, with the reason. Quoted titles name the test that covers the row. */
const special: Readonly<Record<string, string>> = {
  'page 1 by key limit 5': 'page keys are cursors in GraphQL: "pages by cursor"',
  'page 2 by key limit 5': 'page keys are cursors in GraphQL: "pages by cursor"',
  'votes page 1 limit 1': 'page keys are cursors in GraphQL: "pages by cursor"',
  'votes page 2 limit 1': 'page keys are cursors in GraphQL: "pages by cursor"',
  'Groups by key (ignored)': 'cursors work although the chain ignores the key: "pages groups"',
  'reverse limit 5 (ignored)': 'reverse works although the chain ignores it: "reverses lists"',
  'Groups {"limit":"2","reverse":true}': 'reverse works although the chain ignores it: "reverses lists"',
  'foreign key': 'cursors are opaque and cannot be built for another list',
  'junk key': 'cursors are opaque: "refuses an invalid cursor"',
  'key and offset': 'page keys are cursors in GraphQL: "refuses a cursor with an offset"',
  'prove on a gRPC path': 'the chain proves no gRPC query, and GraphQL has no such field',
};

describe('recorded group queries, as GraphQL operations', () => {
  let stele: Stele;
  // 571 is the height of the one row that requests the newest height.
  beforeAll(async () => {
    stele = await startStele({ head: 571n });
  });
  afterAll(() => stele.close());

  const plain = rows.filter(({ name }) => special[name] === undefined);

  it('the recordings have a row for each query of the module', () => {
    expect(new Set(plain.map(({ path }) => path)).size).toBe(14);
    expect(Object.keys(special).filter((name) => rowNamed(name) === undefined)).toEqual([]);
  });

  it.each(some(plain, 12).map((row) => [row.name, row] as const))('%s', async (_, row) => {
    const answer = await stele.ask(operationOf(row), row.height === '0' ? undefined : row.height);
    expect(shown(answer)).toEqual(owedBy(row, registry));
    if (answer.errors === undefined) expect(answer.extensions?.height).toBe(row.response.height);
  });

  it.each([
    ['proposals', ['page 0 by key limit 5', 'page 1 by key limit 5', 'page 2 by key limit 5']],
    ['votes', ['votes page 0 limit 1', 'votes page 1 limit 1', 'votes page 2 limit 1']],
  ])('pages by cursor through %s like the node does by page keys', async (_, names) => {
    let after: string | undefined;
    for (const name of names) {
      const row = rowNamed(name);
      const answer = await stele.ask(operationOf(row, after), row.height);
      expect(shown(answer), name).toEqual(owedBy(row, registry));
      after = cursorOf(answer);
    }
  });

  it('pages groups by cursor, unlike the node', async () => {
    const first = await stele.ask(operationOf(rowNamed('Groups first')), '566');
    const second = await stele.ask(operationOf(rowNamed('Groups by key (ignored)'), cursorOf(first)), '566');
    expect(shown(second)).toEqual(owedBy(rowNamed('Groups {"limit":"2","offset":"2"}'), registry));
  });

  it.each([
    ['reverse limit 5 (ignored)', 'no pagination', 5],
    ['Groups {"limit":"2","reverse":true}', 'Groups {}', 2],
  ])('reverses lists, unlike the node: %s', async (name, whole, first) => {
    const owed = owedBy(rowNamed(whole), registry) as { answer: { nodes: JsonValue[] } };
    const { answer } = shown(await stele.ask(operationOf(rowNamed(name)), '566'));
    expect((answer as JsonObject).nodes).toEqual(owed.answer.nodes.toReversed().slice(0, first));
    expect((answer as JsonObject).pageInfo).toEqual({ hasNextPage: true });
  });

  it('refuses an invalid cursor', async () => {
    expect(shown(await stele.ask(operationOf(rowNamed('junk key'), 'junk'), '566'))).toEqual({ code: 'BAD_CURSOR' });
  });

  it('refuses a cursor with an offset', async () => {
    const after = cursorOf(await stele.ask(operationOf(rowNamed('page 0 by key limit 5')), '566'));
    expect(shown(await stele.ask(operationOf(rowNamed('key and offset'), after), '566'))).toEqual({ code: 'BAD_USER_INPUT' });
  });

  it('requested nothing from the node that was not recorded', () => {
    expect(stele.node.unrecorded).toEqual([]);
  });
});

describe('derived fields, compared with the following blocks', () => {
  let stele: Stele;
  beforeAll(async () => {
    stele = await startStele({ head: 195n });
  });
  afterAll(() => stele.close());

  const chain = readRecording('chain');
  const idOf = (title: string): string => world.proposals[title]!.id;
  const fields = `status executorResult votingPeriodEnd votingTimeLeft
    tally { yesCount abstainCount noCount noWithVetoCount }
    outcome { decision totalWeight undecidedWeight yesNeeded yesPercent votedPercent }`;

  async function proposalAt(title: string, height: number): Promise<JsonObject> {
    const document = `query($id: ID!, $height: Int64!) { at(height: $height) { proposal(id: $id) { ${fields} } } }`;
    const { data, errors } = await stele.ask({ document, variables: { id: idOf(title), height } });
    expect(errors).toBeUndefined();
    return (data as { at: { proposal: JsonObject } }).at.proposal;
  }

  /** Attributes of the events of one type in a block: those of its transactions and of the block itself. */
  function eventsAt(height: number, type: string): Record<string, string>[] {
    interface Event {
      readonly type: string;
      readonly attributes: readonly { readonly key: string; readonly value: string }[];
    }
    const results = chain[height - 1]!.block_results as unknown as {
      readonly txs_results: readonly { readonly events: readonly Event[] }[] | null;
      readonly finalize_block_events: readonly Event[] | null;
    };
    return [...(results.txs_results ?? []).flatMap((tx) => tx.events), ...(results.finalize_block_events ?? [])]
      .filter((event) => event.type === type)
      .map(({ attributes }) => Object.fromEntries(attributes.map(({ key, value }) => [key, value])));
  }

  it('the outcome at 26 is ACCEPTED, and the chain executes the proposal at 27', async () => {
    const before = await proposalAt('Pay dave', world.beforeExec);
    const [pruned] = eventsAt(27, 'cosmos.group.v1.EventProposalPruned');
    const [executed] = eventsAt(27, 'cosmos.group.v1.EventExec');
    expect(executed).toMatchObject({ proposal_id: `"${idOf('Pay dave')}"`, result: '"PROPOSAL_EXECUTOR_RESULT_SUCCESS"' });
    expect(pruned).toMatchObject({ proposal_id: `"${idOf('Pay dave')}"`, status: '"PROPOSAL_STATUS_ACCEPTED"' });
    expect(JSON.parse(pruned!.tally_result!)).toMatchObject({ yes_count: '2', no_count: '0' });
    expect(before).toMatchObject({
      status: 'PROPOSAL_STATUS_SUBMITTED',
      tally: { yesCount: '2', noCount: '0' },
      outcome: { decision: 'ACCEPTED', totalWeight: '3', undecidedWeight: '1', yesNeeded: '0' },
    });
  });

  it.each([
    ['Ends accepted', 'ACCEPTED', 'PROPOSAL_STATUS_ACCEPTED', 92],
    ['Ends rejected', 'UNDECIDED', 'PROPOSAL_STATUS_REJECTED', 94],
  ])(
    'the outcome of "%s" at 58 agrees with the decision at the end of its voting period',
    async (title, decision, status, height) => {
      const before = await proposalAt(title, world.fastVotingHeight);
      const after = await proposalAt(title, world.boardHeight);
      // There is no vote in between, so the outcome at 58 holds until the end.
      expect(after.tally).toEqual(before.tally);
      expect((before.outcome as JsonObject).decision).toBe(decision);
      // A proposal that is undecided at the end of the voting period is rejected.
      expect(after.status).toBe(status);
      expect(after.outcome).toBeNull();
      expect(after.votingTimeLeft).toBeNull();
      // The chain decides it in the first block after the end.
      const end = before.votingPeriodEnd as string;
      const timeOf = (at: number): string => ((chain[at - 1]!.block.block.header as JsonObject).time as string).padEnd(30, '0');
      expect([timeOf(height - 1) < end, timeOf(height) > end]).toEqual([true, true]);
    },
  );

  it('computes at 58 the weight that the fast policy still needs', async () => {
    expect((await proposalAt('Ends accepted', 58)).outcome).toEqual({
      decision: 'ACCEPTED',
      totalWeight: '2.75',
      undecidedWeight: '0.25',
      yesNeeded: '0',
      yesPercent: '90.90909090909090909',
      votedPercent: '90.90909090909090909',
    });
    expect((await proposalAt('Ends rejected', 58)).outcome).toEqual({
      decision: 'UNDECIDED',
      totalWeight: '2.75',
      undecidedWeight: '2.5',
      yesNeeded: '1.75',
      yesPercent: '9.090909090909090909',
      votedPercent: '9.090909090909090909',
    });
    expect((await proposalAt('Withdrawn then pruned', 58)).outcome).toBeNull();
  });

  it('computes the time left from the block time', async () => {
    // The time of block 58 is 02:48:31.848231027. The voting period ends at 02:48:48.776828099.
    expect((await proposalAt('Ends accepted', 58)).votingTimeLeft).toBe('16.928597072s');
  });

  it('reads the board at 102 in few batches, all at that height', async () => {
    stele.node.reset();
    const document = `query($policy: String!) {
      proposalsByGroupPolicy(address: $policy, first: 20, reverse: true) {
        totalCount
        nodes {
          id
          tally { yesCount abstainCount noCount noWithVetoCount }
          votes(first: 20) { nodes { proposalId voter { address } option metadata submitTime } }
          groupPolicy { group { totalWeight members(first: 20) { nodes { groupId account { address } weight metadata addedAt } } } }
        }
      }
    }`;
    const { data, errors } = await stele.ask({ document, variables: { policy: world.council.policy } }, '102');
    expect(errors).toBeUndefined();
    const board = data?.proposalsByGroupPolicy as { totalCount: string; nodes: JsonObject[] };
    expect(board.totalCount).toBe('12');
    const titles = Object.keys(world.proposals).filter((title) => title.startsWith('Council '));
    expect(board.nodes.map(({ id }) => id)).toEqual(titles.map(idOf).toReversed());
    const nodesOf = (name: string): JsonValue => {
      const owed = owedBy(rowNamed(`${name} @102`), registry) as { answer: JsonObject };
      return owed.answer.nodes ?? owed.answer;
    };
    for (const title of titles) {
      const node = board.nodes.find(({ id }) => id === idOf(title))!;
      expect(node.tally, title).toEqual(nodesOf(`Tally ${title}`));
      expect(node.votes, title).toEqual({ nodes: nodesOf(`VotesByProposal ${title}`) });
      expect(node.groupPolicy, title).toEqual({
        group: { totalWeight: '100', members: { nodes: nodesOf('GroupMembers council') } },
      });
    }
    const reads = stele.node.calls.filter(({ method }) => method === 'abci_query');
    // One list, twelve vote lists, twelve tallies, one policy, one group, one member list.
    expect(reads).toHaveLength(28);
    expect(new Set(reads.map(({ height }) => height))).toEqual(new Set([102n]));
    expect(stele.node.batches.length).toBeLessThanOrEqual(Math.ceil(reads.length / 10) + 4);
    expect(Math.max(...stele.node.batches)).toBeLessThanOrEqual(10);
  });

  it('requested nothing from the node that was not recorded', () => {
    expect(stele.node.unrecorded).toEqual([]);
  });
});

describe('the height of an operation', () => {
  const board = rowNamed('ProposalsByGroupPolicy council @102');

  it('follows the blocks that the node announces', async () => {
    const { node, client, ask, close } = await startStele({ head: 101n });
    await node.subscribed();
    node.emitNewBlock(102n);
    await client.head.waitFor(102n, { milliseconds: 30_000 });
    const answer = await ask(operationOf(board));
    expect(shown(answer)).toEqual(owedBy(board, registry));
    expect(answer.extensions?.height).toBe('102');
    await close();
  });

  it('is refused if the node has pruned it, also with the error text of SDK 0.53', async () => {
    const { ask, close } = await startStele({ head: 566n, earliestState: 103n });
    for (const row of [board, rowNamed('Proposal Council 1 @102'), rowNamed('Proposal Pay dave @102')]) {
      expect(shown(await ask(operationOf(row), '102')), row.name).toEqual({ code: 'HEIGHT_PRUNED' });
    }
    const still = rowNamed('ProposalsByGroupPolicy council @566');
    expect(shown(await ask(operationOf(still), '566'))).toEqual(owedBy(still, registry));
    await close();
  });
});
