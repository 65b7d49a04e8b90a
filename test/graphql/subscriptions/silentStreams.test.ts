import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runsAll, some, takeTurns } from '../../support/atRandom.ts';
import { startChain, type TestChain } from '../../support/chain.ts';
import { createGroup, exec, submitProposal, type TestGroup, vote } from '../../support/groups.ts';
import { type Listener, transports } from '../../support/listeners.ts';
import { type Stack, type StackOptions, startStack } from '../../support/stack.ts';

let chain: TestChain;
let stack: Stack;
const stacks: Stack[] = [];

async function start(limits: StackOptions = {}): Promise<Stack> {
  const started = await startStack([chain.node.url], limits);
  stacks.push(started);
  return started;
}

/** Waits until the server has seen the newest block. */
const seen = (server = stack) => server.client.head.waitFor(chain.devnet.height, { milliseconds: 30_000 });

beforeEach(async () => {
  chain = await startChain({ bare: true, genesisTime: 1_900_000_000_000_000_000n });
  stack = await start({ server: { limits: { 'request.freshness': 500 } } });
});

afterEach(async () => {
  for (const each of stacks.splice(0)) {
    await each.close();
    expect(each.masked).toEqual([]);
  }
  await chain.devnet.close();
});

const events = (listener: Listener): unknown[] => listener.answers.map(({ data }) => Object.values(data ?? {})[0]);

const newBlock = 'subscription ($after: Int64) { newBlock(after: $after) { height } }';

describe('`after` beyond the head', () => {
  const errors = [{ extensions: { code: 'HEIGHT_NOT_YET_AVAILABLE', height: '9', latestHeight: '1' } }];

  it('fails with HEIGHT_NOT_YET_AVAILABLE and the head after request.freshness, over graphql-transport-ws', async () => {
    await seen();
    const listener = await transports['graphql-transport-ws'](stack.server.url, newBlock, { after: '9' });
    expect(await listener.ended).toBe('complete');
    expect(listener.answers).toMatchObject([{ errors }]);
    expect(stack.server.subscriptions()).toMatchObject({ subscribers: 0, sources: 0 });
    await listener.leave();
  });

  it('fails with the same error over HTTP, as a response instead of a stream', async () => {
    await seen();
    const { status, body } = await stack.ask(newBlock, { after: '9' }, { accept: 'text/event-stream, application/json' });
    expect([status, body]).toMatchObject([200, { errors }]);
    expect(stack.server.subscriptions()).toMatchObject({ subscribers: 0, sources: 0 });
  });
});

describe.each(Object.entries(transports))('over %s', (_, subscribe) => {
  const turn = takeTurns(Object.values(transports), subscribe);

  it.runIf(turn())('`after` beyond the head starts the stream if the block is committed in time', async () => {
    const other = await start();
    await seen(other);
    const after = chain.devnet.height + 1n;
    const opening = subscribe(other.server.url, newBlock, { after: after.toString() });
    await chain.devnet.commit();
    const listener = await opening;
    await expect.poll(() => other.server.subscriptions().subscribers).toBe(1);
    await chain.devnet.commit();
    await listener.count(1);
    expect(events(listener)).toEqual([{ height: (after + 1n).toString() }]);
    await listener.leave();
  });

  it.runIf(turn())('a query that no later block can match completes', async () => {
    await chain.devnet.commit();
    await seen();
    const past = await subscribe(stack.server.url, 'subscription { transactions(query: "tx.height <= 2") { hash } }');
    expect(await past.ended).toBe('complete');
    const coming = await subscribe(stack.server.url, 'subscription { transactions(query: "tx.height < 4") { hash } }');
    await expect.poll(() => stack.server.subscriptions().subscribers).toBe(1);
    await chain.devnet.commit();
    expect(await coming.ended).toBe('complete');
  });
});

describe('a deleted proposal', () => {
  const updates = `subscription ($id: ID, $after: Int64) {
    proposalUpdated(id: $id, after: $after) { proposalId height reasons status executorResult tally { yesCount } proposal { id } }
  }`;
  const tallies = `subscription ($id: ID!, $after: Int64) {
    tallyUpdated(proposalId: $id, after: $after) { proposalId height final tally { yesCount } outcome { decision } proposal { id } }
  }`;
  let group: TestGroup;
  let id: string;
  let deleted: string;

  beforeEach(async () => {
    const [one, two] = chain.accounts;
    group = await createGroup(chain, [
      [one!, '1'],
      [two!, '1'],
    ]);
    const proposal = await submitProposal(chain, group, one!);
    id = proposal.toString();
    await chain.run(one!, vote(one!, proposal));
    await chain.run(two!, vote(two!, proposal));
    await chain.devnet.commit();
    await chain.run(one!, exec(one!, proposal));
    deleted = chain.devnet.height.toString();
    await chain.devnet.commit();
  });

  /** Returns all events of a subscription, followed by how it ended. */
  async function all(server: Stack, query: string, variables: object, subscribe = transports['graphql-transport-ws']) {
    await seen(server);
    const listener = await subscribe(server.server.url, query, variables);
    const ending = await listener.ended;
    await listener.leave();
    return [...events(listener), ending];
  }

  const update = () => ({
    proposalId: id,
    height: deleted,
    reasons: ['EXECUTED', 'PRUNED'],
    status: 'PROPOSAL_STATUS_ACCEPTED',
    executorResult: 'PROPOSAL_EXECUTOR_RESULT_SUCCESS',
    tally: { yesCount: '2' },
    proposal: null,
  });
  const tally = () => ({
    proposalId: id,
    height: deleted,
    final: true,
    tally: { yesCount: '2' },
    outcome: null,
    proposal: null,
  });

  it.each(some(Object.entries(transports), 2))(
    'is sent with its final state, and the stream completes, over %s',
    async (_, subscribe) => {
      expect(await all(stack, updates, { id }, subscribe)).toEqual([update(), 'complete']);
      expect(await all(stack, tallies, { id }, subscribe)).toEqual([tally(), 'complete']);
    },
  );

  it('is found in the transaction index of a node if the server has not seen the block', async () => {
    const other = await start();
    expect(await all(other, updates, { id })).toEqual([update(), 'complete']);
    expect(await all(other, tallies, { id })).toEqual([tally(), 'complete']);
  });

  it('is sent without status, result and tally if no node has an index', async () => {
    chain.node.faults.noIndex = true;
    const other = await start();
    const height = chain.devnet.height.toString();
    expect(await all(other, updates, { id })).toEqual([
      {
        proposalId: id,
        height,
        reasons: ['PRUNED'],
        status: 'PROPOSAL_STATUS_UNSPECIFIED',
        executorResult: 'PROPOSAL_EXECUTOR_RESULT_UNSPECIFIED',
        tally: null,
        proposal: null,
      },
      'complete',
    ]);
    expect(await all(other, tallies, { id })).toEqual([{ ...tally(), height, tally: null }, 'complete']);
  });

  it.runIf(runsAll)('completes a stream that resumes after the deletion, without an event', async () => {
    for (const query of [updates, tallies]) expect(await all(stack, query, { id, after: deleted })).toEqual(['complete']);
  });

  it('is not confused with a proposal that is not submitted yet, whose stream waits', async () => {
    await seen();
    const next = (BigInt(id) + 1n).toString();
    const [listener, tallied] = await Promise.all(
      [updates, tallies].map((query) => transports['server-sent events'](stack.server.url, query, { id: next })),
    );
    await expect.poll(() => stack.server.subscriptions().subscribers).toBe(2);
    await submitProposal(chain, group, chain.accounts[0]!);
    await Promise.all([listener!.count(1), tallied!.count(1)]);
    expect(events(listener!)).toMatchObject([{ proposalId: next, reasons: ['SUBMITTED'] }]);
    await Promise.all([listener!.leave(), tallied!.leave()]);
  });
});

describe('proposalUpdated', () => {
  const updates = (listener: Listener): unknown[] =>
    listener.answers.map(({ data }) => [
      data?.proposalUpdated?.proposalId,
      ...((data?.proposalUpdated?.reasons ?? []) as string[]),
    ]);

  it('covers one group with `groupId`, and the whole chain without arguments, including groups created later', async () => {
    const [one, two] = chain.accounts;
    const first = await createGroup(chain, [[one!, '1']]);
    await seen();
    const subscribe = transports['graphql-transport-ws'];
    const ofGroup = await subscribe(
      stack.server.url,
      'subscription ($id: ID) { proposalUpdated(groupId: $id) { proposalId reasons } }',
      { id: first.id.toString() },
    );
    const ofChain = await subscribe(stack.server.url, 'subscription { proposalUpdated { proposalId reasons } }');
    await expect.poll(() => stack.server.subscriptions().subscribers).toBe(2);
    const second = await createGroup(chain, [[two!, '1']]);
    const inFirst = await submitProposal(chain, first, one!);
    const inSecond = await submitProposal(chain, second, two!);
    await chain.run(two!, vote(two!, inSecond));
    // Ends the voting period. The chain emits no event for this.
    await chain.devnet.commit({ elapse: 30_000 });
    await ofGroup.count(2);
    await ofChain.count(5);
    expect(updates(ofGroup)).toEqual([
      [`${inFirst}`, 'SUBMITTED'],
      [`${inFirst}`, 'VOTING_ENDED'],
    ]);
    expect(updates(ofChain)).toEqual([
      [`${inFirst}`, 'SUBMITTED'],
      [`${inSecond}`, 'SUBMITTED'],
      [`${inSecond}`, 'VOTED'],
      [`${inFirst}`, 'VOTING_ENDED'],
      [`${inSecond}`, 'VOTING_ENDED'],
    ]);
    await Promise.all([ofGroup.leave(), ofChain.leave()]);
  });
});
