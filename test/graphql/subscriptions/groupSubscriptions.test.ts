import { print } from 'graphql';
import { createClient as createSocketClient, type Client as SocketClient } from 'graphql-ws';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { runsAll } from '../../support/atRandom.ts';
import { startChain, type TestChain } from '../../support/chain.ts';
import { createGroup, describePolicy, exec, submitProposal, type TestGroup, vote, weigh } from '../../support/groups.ts';
import { type Stack, startStack } from '../../support/stack.ts';
import { TallyLiveDocument, type TallyLiveSubscription } from '../gen/operations.ts';

let chain: TestChain;
let stack: Stack;
let group: TestGroup;
const clients: SocketClient[] = [];

beforeEach(async () => {
  chain = await startChain({ bare: true, genesisTime: 1_900_000_000_000_000_000n });
  stack = await startStack([chain.node.url]);
  const [one, two, three] = chain.accounts;
  group = await createGroup(chain, [
    [one!, '1'],
    [two!, '1.5'],
    [three!, '1'],
  ]);
  await stack.client.head.waitFor(chain.devnet.height, { milliseconds: 30_000 });
});

afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.dispose()));
  await stack.close();
  await chain.devnet.close();
  expect(stack.masked).toEqual([]);
});

type Result = { readonly data?: unknown; readonly errors?: readonly { readonly extensions?: Record<string, unknown> }[] };

/** The results of a subscription over server-sent events, until the server completes it. */
async function* overEvents(query: string, variables: Record<string, unknown>): AsyncGenerator<Result> {
  const response = await fetch(`${stack.server.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
    body: JSON.stringify({ query, variables }),
  });
  const decoder = new TextDecoder();
  let text = '';
  const reader = response.body!.getReader();
  for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
    text += decoder.decode(chunk.value, { stream: true });
    const frames = text.split('\n\n');
    text = frames.pop()!;
    for (const frame of frames) {
      const data = /^data: (\{.*\})$/m.exec(frame)?.[1];
      if (frame.includes('event: next') && data !== undefined) yield JSON.parse(data) as Result;
    }
  }
}

/** The results of a subscription over graphql-transport-ws. */
async function* overSocket(query: string, variables: Record<string, unknown>): AsyncGenerator<Result> {
  const url = `${stack.server.url.replace('http', 'ws')}/graphql`;
  const client = createSocketClient({ url, webSocketImpl: WebSocket, retryAttempts: 0 });
  clients.push(client);
  yield* client.iterate(JSON.parse(JSON.stringify({ query, variables })) as { query: string }) as AsyncIterable<Result>;
}

const transports = [
  ['server-sent events', overEvents],
  ['graphql-transport-ws', overSocket],
] as const;

async function all<T>(results: AsyncIterable<Result>): Promise<T[]> {
  const seen: T[] = [];
  for await (const { data, errors } of results) {
    expect(errors).toBeUndefined();
    seen.push(data as T);
  }
  return seen;
}

const proposalUpdates = `subscription ($id: ID, $after: Int64) {
  proposalUpdated(id: $id, after: $after) {
    proposalId height time reasons status executorResult tally { yesCount noCount }
    proposal { status votes { totalCount nodes { option voter { address } } } groupPolicy { group { totalWeight } } }
  }
}`;

describe.each(transports)('proposalUpdated over %s', (_, subscribe) => {
  it('sends each change of a proposal, read at its own height, and completes when the chain deletes it', async () => {
    const [one, two, three] = chain.accounts;
    const after = chain.devnet.height;
    const id = await submitProposal(chain, group, one!);
    await chain.run(three!, vote(three!, id, 'NO'));
    await chain.run(two!, vote(two!, id));
    await chain.devnet.commit();
    await chain.run(one!, vote(one!, id, 'YES', true));
    const height = (blocks: bigint): string => (after + blocks).toString();
    const votes = (count: number): unknown =>
      expect.objectContaining({
        status: 'PROPOSAL_STATUS_SUBMITTED',
        votes: expect.objectContaining({ totalCount: String(count) }),
        groupPolicy: { group: { totalWeight: '3.5' } },
      });
    const open = {
      proposalId: id.toString(),
      status: 'PROPOSAL_STATUS_SUBMITTED',
      executorResult: 'PROPOSAL_EXECUTOR_RESULT_NOT_RUN',
    };
    const seen = await all<{ proposalUpdated: { time: string; height: string } }>(
      subscribe(proposalUpdates, { id: id.toString(), after: after.toString() }),
    );
    expect(seen.map(({ proposalUpdated: { time, ...update } }) => update)).toEqual([
      { ...open, height: height(1n), reasons: ['SUBMITTED'], tally: { yesCount: '0', noCount: '0' }, proposal: votes(0) },
      { ...open, height: height(2n), reasons: ['VOTED'], tally: { yesCount: '0', noCount: '1' }, proposal: votes(1) },
      { ...open, height: height(3n), reasons: ['VOTED'], tally: { yesCount: '1.5', noCount: '1' }, proposal: votes(2) },
      {
        proposalId: id.toString(),
        height: height(5n),
        reasons: ['VOTED', 'EXECUTED', 'PRUNED'],
        status: 'PROPOSAL_STATUS_ACCEPTED',
        executorResult: 'PROPOSAL_EXECUTOR_RESULT_SUCCESS',
        tally: { yesCount: '2.5', noCount: '1' },
        proposal: null,
      },
    ]);
    for (const { proposalUpdated } of seen) {
      const { header } = await stack.client.block(BigInt(proposalUpdated.height));
      expect(proposalUpdated.time).toBe(header.time);
    }
  });
});

describe.each(transports)('proposalUpdated without a height over %s', (_, subscribe) => {
  it('starts with the current state and continues with each change', async () => {
    const [one, two] = chain.accounts;
    const id = await submitProposal(chain, group, one!);
    await stack.client.head.waitFor(chain.devnet.height, { milliseconds: 30_000 });
    const results = subscribe(proposalUpdates, { id: id.toString() });
    const next = async (): Promise<unknown> => {
      const { value } = (await results.next()) as { value: Result };
      expect(value.errors).toBeUndefined();
      return (value.data as { proposalUpdated: unknown }).proposalUpdated;
    };
    const open = { proposalId: id.toString(), status: 'PROPOSAL_STATUS_SUBMITTED' };
    const { height } = chain.devnet;
    const { header } = await stack.client.block(height);
    expect(await next()).toMatchObject({
      ...open,
      reasons: ['CURRENT'],
      height: height.toString(),
      time: header.time,
      tally: { yesCount: '0' },
      proposal: { votes: { totalCount: '0' } },
    });
    await chain.devnet.commit();
    await chain.run(two!, vote(two!, id));
    expect(await next()).toMatchObject({
      ...open,
      reasons: ['VOTED'],
      height: (height + 2n).toString(),
      tally: { yesCount: '1.5' },
      proposal: { votes: { totalCount: '1', nodes: [{ option: 'VOTE_OPTION_YES', voter: { address: two!.address } }] } },
    });
    await results.return(undefined);
  });
});

describe.each(transports)('tallyUpdated over %s', (_, subscribe) => {
  it('runs the TallyLive document: the current tally, each change, and the final tally', async () => {
    const [one, two] = chain.accounts;
    const id = await submitProposal(chain, group, one!);
    await stack.client.head.waitFor(chain.devnet.height, { milliseconds: 30_000 });
    const results = subscribe(print(TallyLiveDocument), { id: id.toString() });
    const next = async (): Promise<TallyLiveSubscription['tallyUpdated']> => {
      const { value } = (await results.next()) as { value: Result };
      expect(value.errors).toBeUndefined();
      return (value.data as TallyLiveSubscription).tallyUpdated;
    };
    const start = chain.devnet.height.toString();
    expect(await next()).toMatchObject({
      height: start,
      final: false,
      tally: { yesCount: '0' },
      outcome: { decision: 'UNDECIDED', yesNeeded: '2', votedPercent: '0' },
      proposal: { status: 'PROPOSAL_STATUS_SUBMITTED' },
    });
    await chain.run(two!, vote(two!, id));
    expect(await next()).toMatchObject({
      height: chain.devnet.height.toString(),
      tally: { yesCount: '1.5' },
      outcome: { decision: 'UNDECIDED', yesNeeded: '0.5', yesPercent: '42.857142857142857142' },
    });
    // Executing before the vote is decided changes nothing.
    await chain.run(one!, exec(one!, id));
    await chain.run(one!, vote(one!, id, 'ABSTAIN'));
    expect(await next()).toMatchObject({ height: chain.devnet.height.toString(), tally: { abstainCount: '1' } });
    await chain.devnet.commit({ elapse: 30_000 });
    await chain.devnet.commit();
    expect(await next()).toMatchObject({
      final: true,
      tally: { yesCount: '1.5', abstainCount: '1' },
      outcome: null,
      proposal: { status: 'PROPOSAL_STATUS_REJECTED' },
    });
    expect(await results.next()).toMatchObject({ done: true });
  });
});

describe('proposalUpdated for one member', () => {
  it.runIf(runsAll)(
    'sends the same events to every subscriber, regardless of when it subscribed and over which transport',
    async () => {
      const [one, two, three, four] = chain.accounts;
      const document = proposalUpdates.replace('$id: ID', '$me: String').replace('id: $id', 'member: $me');
      const after = chain.devnet.height.toString();
      const variables = { me: one!.address, after };
      const take = async (results: AsyncGenerator<Result>, count: number): Promise<Result[]> => {
        const taken: Result[] = [];
        while (taken.length < count) taken.push(((await results.next()) as { value: Result }).value);
        await results.return(undefined);
        return taken;
      };
      const early = transports.map(([, subscribe]) => take(subscribe(document, variables), 7));
      const first = await submitProposal(chain, group, one!);
      await chain.run(two!, vote(two!, first));
      await chain.run(one!, weigh(one!, group, [[four!, '1']]));
      const late = transports.map(([, subscribe]) => take(subscribe(document, variables), 7));
      const second = await submitProposal(chain, group, three!);
      await chain.run(one!, describePolicy(one!, group, 'new'));
      await chain.devnet.commit({ elapse: 30_000 });
      const [expected, ...others] = await Promise.all([...early, ...late]);
      expect(
        expected!.map(({ data }) => {
          const { proposalId, reasons } = (data as { proposalUpdated: { proposalId: string; reasons: string[] } })
            .proposalUpdated;
          return [proposalId, ...reasons];
        }),
      ).toEqual([
        [`${first}`, 'SUBMITTED'],
        [`${first}`, 'VOTED'],
        [`${first}`, 'GROUP_UPDATED'],
        [`${second}`, 'SUBMITTED'],
        [`${first}`, 'POLICY_UPDATED'],
        [`${second}`, 'POLICY_UPDATED'],
        [`${first}`, 'PRUNED'],
      ]);
      expect(expected!.every(({ errors }) => errors === undefined)).toBe(true);
      for (const other of others) expect(other).toEqual(expected);
    },
  );
});

describe.each(transports)('bad arguments over %s', (_, subscribe) => {
  async function refusal(field: string): Promise<unknown> {
    try {
      for await (const { errors } of subscribe(`subscription { ${field} { height } }`, {})) return errors?.[0]?.extensions;
    } catch (errors) {
      // In graphql-transport-ws, an error that ends a started stream is a separate message.
      return (errors as Result['errors'])?.[0]?.extensions;
    }
    return undefined;
  }

  it.runIf(runsAll)('are rejected at once with the argument and its bound', async () => {
    const { address } = chain.accounts[0]!;
    const alone = { code: 'BAD_USER_INPUT', argument: 'id', bound: expect.stringContaining('the only one of') };
    expect(await refusal('proposalUpdated(id: 1, groupId: 1)')).toMatchObject(alone);
    expect(await refusal('proposalUpdated(groupId: "x")')).toMatchObject({ code: 'BAD_USER_INPUT', argument: 'groupId' });
    expect(await refusal(`proposalUpdated(id: 1, member: "${address}")`)).toMatchObject(alone);
    expect(await refusal(`proposalUpdated(groupPolicyAddress: "${address}", member: "${address}")`)).toMatchObject(alone);
    expect(await refusal('proposalUpdated(id: "-1")')).toMatchObject({ code: 'BAD_USER_INPUT', argument: 'id' });
    expect(await refusal('proposalUpdated(member: "nobody")')).toMatchObject({ code: 'BAD_USER_INPUT', argument: 'member' });
    expect(await refusal('proposalUpdated(groupPolicyAddress: "")')).toMatchObject({
      code: 'BAD_USER_INPUT',
      argument: 'groupPolicyAddress',
    });
    expect(await refusal('tallyUpdated(proposalId: "x")')).toMatchObject({ code: 'BAD_USER_INPUT', argument: 'proposalId' });
    expect(await refusal('tallyUpdated(proposalId: 1, after: -1)')).toMatchObject({
      code: 'BAD_USER_INPUT',
      argument: 'after',
    });
    // A valid address with the prefix of another chain: the chain rejects it.
    const foreign = 'pb1qypqxpq9qcrsszg2pvxq6rs0zqg3yyc5kv8mtq';
    for (const argument of ['member', 'groupPolicyAddress']) {
      expect(await refusal(`proposalUpdated(${argument}: "${foreign}")`), argument).toMatchObject({ code: 'BAD_USER_INPUT' });
    }
  });
});
