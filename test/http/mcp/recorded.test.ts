import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAuth } from '../../../src/start/authSetup.ts';
import { readRecording } from '../../recordings/recordings.ts';
import { createGovNode, type GovNode } from '../../replay/govNode.ts';
import { createReplayNode, type ReplayNode } from '../../replay/replayNode.ts';
import { officialAgent, outputOf, sendPlain, type ToolCall, type ToolResult } from '../../support/agents.ts';
import { type Stack, startStack } from '../../support/stack.ts';

let node: ReplayNode;
let govNode: GovNode;
let stack: Stack;
let govStack: Stack;
let token: string;

beforeAll(async () => {
  const { auth, issuer } = await createAuth(
    { kind: 'embedded', audience: undefined, clientsFile: undefined, keysFile: undefined, lifetime: 3600 },
    { address: () => 'https://issuer.example', report: console.error },
  );
  token = (await issuer?.sign({ clientId: 'agent', scopes: ['read', 'introspect'], isPublic: false })) ?? '';
  [node, govNode] = await Promise.all([createReplayNode(), createGovNode()]);
  [stack, govStack] = (await Promise.all(
    [node, govNode].map(({ url }) => startStack([url], { server: { auth, issuer } })),
  )) as [Stack, Stack];
  await govNode.subscribed();
  // The first of its proposals is submitted in this block.
  govNode.emit(310n);
  await govStack.client.head.waitFor(310n, { milliseconds: 30_000 });
});

afterAll(async () => {
  await stack.close();
  await govStack.close();
  await node.close();
  await govNode.close();
});

/** An account of the recording, who has submitted its first proposal. */
const alice = 'tp1sq0yuuel87e9cchrhvlw3kx6xrwjhyccj8wuqc';

const clients: readonly (readonly [string, (url: string) => Promise<ToolCall>])[] = [
  ['the official client', async (url) => (await officialAgent(url, { token: async () => token })).call],
  [
    'a client over fetch',
    async (url) => async (name, args) =>
      (await sendPlain(url, token, 'tools/call', { name, arguments: args })).body.result as ToolResult,
  ],
];

describe.each(clients)('/mcp over the recorded chains, by %s', (_name, connect) => {
  it('answers each tool with what is recorded, and names each member that is not', async () => {
    const call = await connect(`${stack.server.url}/mcp`);
    const { hash } = readRecording('transactions').find(({ name }) => name === 'submit Pay dave')!;
    const calls: readonly (readonly [string, Record<string, unknown>, object])[] = [
      ['find_proposals', { groupId: '3', first: 2 }, { group: { proposals: { nodes: [{ id: '21' }, {}] } } }],
      ['find_proposals_of_account', { account: alice, awaitingVote: false }, { account: { address: alice } }],
      ['find_past_proposals', {}, { proposalRecords: null }],
      ['proposal', { id: '3' }, { proposal: { title: { untrusted: 'Open with votes' }, tally: { yesCount: '1' } } }],
      ['who_must_vote', { id: '3' }, { proposal: { pendingVoters: { nodes: expect.any(Array) } } }],
      ['rehearse_proposal', { id: '3' }, { proposal: { title: { untrusted: 'Open with votes' }, rehearsal: null } }],
      ['account_statement', { account: alice, from: '500' }, { account: { address: alice } }],
      ['explain_transaction', { hash }, { transaction: { height: '24', code: 0, signers: [{ address: alice }] } }],
      ['search', { text: hash }, { transaction: { hash, height: '24' } }],
      ['search', { text: alice }, { account: { address: alice } }],
      ['search', { text: '3' }, { proposal: { id: '3' }, group: { id: '3' } }],
      ['run_query', { query: '{ group(id: "3") { totalWeight } }' }, { group: { totalWeight: '100' } }],
    ];
    for (const [name, args, data] of calls) {
      const { isError, ...result } = await call(name, args);
      const output = outputOf(result);
      expect([name, isError, output.data]).toMatchObject([name, undefined, data]);
      // What is not recorded is null, and has an entry that says so.
      for (const error of output.errors ?? [])
        expect([name, error]).toEqual([
          name,
          expect.objectContaining({ code: 'RPC_ERROR', data: expect.stringContaining('not recorded') }),
        ]);
    }
    expect(JSON.stringify(await call('search_schema', { words: 'pending voters' }))).toContain('Proposal.pendingVoters(');
  });

  it('lists the recorded proposals of the governance of the chain', async () => {
    const call = await connect(`${govStack.server.url}/mcp`);
    expect(outputOf(await call('find_gov_proposals', {}))).toMatchObject({
      height: '310',
      data: { govProposals: { nodes: expect.arrayContaining([expect.objectContaining({ id: '5' })]) } },
    });
    expect(govNode.unrecorded).toEqual([]);
  });
});
