import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { explained, ProofError, type Verified, verify, verifyBundle } from '../../packages/verify/src/entry/index.ts';
import { runsAll } from '../support/atRandom.ts';
import { startChain, type TestChain } from '../support/chain.ts';
import { type Stack, startStack } from '../support/stack.ts';
import { createProver, nodeCall, type ProvenAnswer, type Prover } from './bundleMaker.ts';
import { changedAnswers } from './changedAnswers.ts';

let chain: TestChain;
let stack: Stack;
let height: bigint;
let prover: Prover;

beforeAll(async () => {
  chain = await startChain();
  // A node proves nothing at the first height.
  await chain.devnet.commit();
  stack = await startStack([chain.node.url]);
  height = chain.devnet.height;
  await stack.client.head.waitFor(height, { milliseconds: 30_000 });
  await chain.devnet.commit();
  prover = await createProver(nodeCall(chain.node.url), height);
});
afterAll(async () => {
  await stack.close();
  await chain.devnet.close();
});

/** Asks the server, and proves its answer. */
async function proven(document: string, variables: Record<string, unknown> = {}): Promise<ProvenAnswer> {
  const { body } = await stack.ask(document, variables, { 'x-cosmos-block-height': String(height) });
  const { data, errors } = body;
  const { answer } = await prover.prove({ data, ...(errors && { errors }) }, { document, variables });
  return answer;
}

const levelsIn = ({ fields }: Verified): Record<string, string> =>
  Object.fromEntries([...fields].map(([path, { level }]) => [path, level]));

const board = `query Board($first: Int = 2, $withMessages: Boolean!) {
  groups(first: $first) {
    totalCount
    pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
    nodes {
      __typename id metadata version totalWeight createdAt
      leader: admin { address }
      members(first: 5) { edges { cursor node { weight weightPercent addedAt account { address } } } pageInfo { hasNextPage } }
      policies {
        nodes {
          address
          decisionPolicy {
            __typename type
            windows { votingPeriod minExecutionPeriod }
            ... on ThresholdDecisionPolicy { threshold }
            ... on PercentageDecisionPolicy { percentage }
          }
          proposals(first: 3) { nodes { ...Line } }
        }
      }
    }
  }
}
fragment Line on Proposal {
  id title status submitTime votingPeriodEnd votingTimeLeft executableFrom asOfHeight
  messages @include(if: $withMessages) { type value json }
  tally { yesCount abstainCount noCount noWithVetoCount }
  outcome { decision yesPercent votedPercent undecidedWeight }
  votes { totalCount nodes { option submitTime voter { address } member { weight } } }
  pendingVoters(first: 2) { totalCount nodes { weight } }
}`;

describe('An answer with its proof', () => {
  it('is verified, with the level of each field', async () => {
    const variables = { withMessages: true };
    const verified = await verify(await proven(board, variables), { document: board, variables });
    expect(verified).toMatchObject({ height, trust: 'FIRST_USE', chainId: chain.devnet.chainId });
    const line = 'groups.nodes.policies.nodes.proposals.nodes';
    expect(levelsIn(verified)).toMatchObject({
      'groups.totalCount': 'PROVEN',
      'groups.pageInfo.hasNextPage': 'PROVEN',
      'groups.nodes.leader.address': 'PROVEN',
      'groups.nodes.members.edges.cursor': 'PROVEN',
      'groups.nodes.members.edges.node.weight': 'PROVEN',
      'groups.nodes.members.edges.node.weightPercent': 'RECOMPUTED',
      [`${line}.title`]: 'PROVEN',
      [`${line}.messages.value`]: 'PROVEN',
      [`${line}.messages.json`]: 'ASSERTED',
      [`${line}.tally`]: 'RECOMPUTED',
      [`${line}.tally.yesCount`]: 'RECOMPUTED',
      [`${line}.outcome.decision`]: 'RECOMPUTED',
      [`${line}.votingTimeLeft`]: 'RECOMPUTED',
      [`${line}.votes.nodes.option`]: 'PROVEN',
      [`${line}.pendingVoters.totalCount`]: 'RECOMPUTED',
      [`${line}.pendingVoters.nodes.weight`]: 'PROVEN',
    });
    expect(verified.fields.get(`${line}.tally.yesCount`)).toMatchObject({ reason: 'tally' });
  });

  it.runIf(runsAll)(
    'is refused if any value of it is another, and if a list lacks an entry, has one too many, or another order',
    async () => {
      const variables = { withMessages: true, first: 1 };
      const answer = await proven(board, variables);
      const question = { document: board, variables };
      const { fields } = await verify(answer, question);
      const { reads, context } = await verifyBundle(answer.extensions.proof);
      const asserted = [...fields].flatMap(([path, { level }]) => (level === 'ASSERTED' ? [`${path}.`] : []));
      let refused = 0;
      for (const { path, at, data } of changedAnswers(answer.data)) {
        if (asserted.some((start) => `${path}.`.startsWith(start))) continue;
        const outcome = await explained({ data }, question, reads, context).catch((error: unknown) => error);
        expect([at, outcome]).toEqual([at, expect.any(ProofError)]);
        expect([at, (outcome as ProofError).field?.startsWith(at)]).toEqual([at, true]);
        refused++;
      }
      expect(refused).toBeGreaterThan(700);
    },
  );

  it('is refused if the proof has a part of the list only', async () => {
    const membersOf = (first: number) => `{ group(id: "1") { members(first: ${first}) { nodes { weight } } } }`;
    const part = await proven(membersOf(2));
    await expect(verify(part, { document: membersOf(2) })).resolves.toMatchObject({ height });
    await expect(verify(part, { document: membersOf(100) })).rejects.toMatchObject({
      code: 'NOT_PROVEN',
      field: 'group.members',
    });
  });

  it('is refused with the cursor of another entry or another list', async () => {
    const document =
      '{ groups(first: 2) { pageInfo { startCursor endCursor } } group(id: "1") { members(first: 1) { pageInfo { endCursor } } } }';
    const answer = await proven(document);
    const { groups, group } = answer.data as {
      groups: { pageInfo: { startCursor: string; endCursor: string } };
      group: { members: { pageInfo: { endCursor: string } } };
    };
    await verify(answer, { document });
    const { startCursor } = groups.pageInfo;
    for (const endCursor of [startCursor, group.members.pageInfo.endCursor, '', 'x', `${startCursor}=`])
      await expect(
        verify({ ...answer, data: { group, groups: { pageInfo: { startCursor, endCursor } } } }, { document }),
      ).rejects.toMatchObject({ code: 'WRONG_VALUE', field: 'groups.pageInfo.endCursor' });
  });
});
