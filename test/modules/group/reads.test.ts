import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startChain, type TestChain } from '../../support/chain.ts';
import { type Stack, startStack } from '../../support/stack.ts';

let chain: TestChain;
let stack: Stack;

beforeAll(async () => {
  chain = await startChain();
  stack = await startStack([chain.node.url], { client: { learnsRoots: false } });
});

afterAll(async () => {
  await stack.close();
  await chain.devnet.close();
});

/** Each test reads at its own height. */
beforeEach(async () => {
  chain.node.heal();
  await stack.client.head.waitFor(await chain.devnet.commit(), { milliseconds: 30_000 });
  chain.node.counters.reset();
});

/** Number of calls to the node for each query of the group module. */
function reads(): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { method, params } of chain.node.counters.log) {
    if (method !== 'abci_query') continue;
    const name = (params as { path: string }).path.split('/').at(-1)!;
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

describe('reads of the group module', () => {
  it('an item that a list returned is not read again, across all relations', async () => {
    const { body } = await stack.ask(`{
      groups(first: 1) { nodes {
        policies(first: 1) { nodes {
          proposals(first: 2, reverse: true) { nodes {
            groupPolicy { address group { id } }
            votes(first: 3) { nodes { proposal { id groupPolicy { address } } voter { groups { nodes { id policies(first: 1) { nodes { address } } } } } } }
          } }
        } }
      } }
    }`);
    expect(body.errors).toBeUndefined();
    const counts = reads();
    // No single reads: groups, policies and proposals came in lists.
    expect(counts.GroupPolicyInfo).toBeUndefined();
    expect(counts.GroupInfo).toBeUndefined();
    expect(counts.Proposal).toBeUndefined();
    expect(counts).toMatchObject({ Groups: 1, ProposalsByGroupPolicy: 2, VotesByProposal: 2 });
  });

  it('an object that several fields select is read once', async () => {
    await stack.ask(
      '{ a: group(id: 1) { version } b: group(id: 1) { id } groupMembers(groupId: 1, first: 5) { nodes { group { admin { address } } } } }',
    );
    expect(reads()).toEqual({ GroupInfo: 1, GroupMembers: 1 });
  });

  it('one read of the members serves all voters of a group', async () => {
    const { body } =
      await stack.ask(`{ groups(first: 1) { nodes { policies(first: 1) { nodes { proposals(first: 3, reverse: true) {
      nodes { votes(first: 100) { nodes { member { weight weightPercent } } } }
    } } } } } }`);
    expect(body.errors).toBeUndefined();
    expect(reads().GroupMembers).toBe(1);
  });
});

describe('absent objects', () => {
  const question = '{ proposal(id: 1) { id } tallyResult(proposalId: 1) { yesCount } group(id: 1) { id } }';

  function failing(name: string, fault: { code: number; codespace: string; log: string }): void {
    chain.node.faults.call = ({ params }) =>
      (params as { path?: string } | undefined)?.path?.endsWith(`/${name}`) === true ? { abci: fault } : undefined;
  }

  it.each([
    ['Proposal', { code: 22, codespace: 'sdk', log: 'anything: key not found' }],
    ['Proposal', { code: 6, codespace: 'sdk', log: 'load proposal: not found: unknown request' }],
    [
      'TallyResult',
      {
        code: 6,
        codespace: 'sdk',
        log: "can't get the tally of a proposal with status PROPOSAL_STATUS_ABORTED: invalid value: unknown request",
      },
    ],
    ['GroupInfo', { code: 6, codespace: 'sdk', log: 'group: not found: unknown request' }],
  ])('%s with the refusal %j returns null', async (name, fault) => {
    failing(name, fault);
    const field = { Proposal: 'proposal', TallyResult: 'tallyResult', GroupInfo: 'group' }[name]!;
    const { body } = await stack.ask(question);
    expect(body.errors).toBeUndefined();
    expect(body.data).toMatchObject({ [field]: null });
  });

  it.each([
    ['Proposal', { code: 38, codespace: 'sdk', log: 'load proposal: not found' }, 'ABCI_QUERY_FAILED'],
    ['Proposal', { code: 6, codespace: 'sdk', log: 'something else: not found: unknown request' }, 'ABCI_QUERY_FAILED'],
    ['Proposal', { code: 111222, codespace: 'undefined', log: 'panic' }, 'ABCI_QUERY_FAILED'],
    [
      'Proposal',
      { code: 38, codespace: 'sdk', log: 'failed to load state at height 50; version does not exist: not found' },
      'HEIGHT_PRUNED',
    ],
    [
      'Proposal',
      { code: 18, codespace: 'sdk', log: 'decoding bech32 failed: invalid checksum: invalid request' },
      'BAD_USER_INPUT',
    ],
  ])('%s with the refusal %j is not absence but %s', async (name, fault, code) => {
    failing(name, fault);
    const { body } = await stack.ask(question);
    expect(body.errors?.map(({ extensions }) => extensions.code)).toEqual([code]);
    expect(body.data).toMatchObject({ proposal: null, group: { id: '1' } });
  });
});
