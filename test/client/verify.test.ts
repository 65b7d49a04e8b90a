import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { type ClientOptions, createClient, SteleError, UnprovenAnswerError } from '../../packages/client/src/index.ts';
import { blocksOf } from '../../packages/verify/src/command/blocks.ts';
import { toHex } from '../../packages/verify/src/entry/index.ts';
import { createLightClient } from '../../src/chain/lightClient/lightClient.ts';
import { startChain, type TestChain } from '../support/chain.ts';
import { type Stack, startStack } from '../support/stack.ts';

let chain: TestChain;
let stack: Stack;

const soon = { milliseconds: 30_000 };
const document =
  'query ($id: ID!) { proposal(id: $id) { title tally { yesCount } votes { totalCount nodes { option } } messages { json } } }';
const variables = { id: '33' };

beforeAll(async () => {
  chain = await startChain();
  for (let blocks = 0; blocks < 4; blocks++) await chain.devnet.commit();
  stack = await startStack([chain.node.url], { upstream: { light: createLightClient({}) } });
  await stack.client.head.waitFor(chain.devnet.height, soon);
});
afterEach(() => {
  vi.restoreAllMocks();
});
afterAll(async () => {
  await stack.close();
  await chain.devnet.close();
});

const clientOf = (options: Partial<ClientOptions> = {}) =>
  createClient({
    url: `${stack.server.url}/graphql`,
    verifier: () => import('../../packages/verify/src/entry/index.ts'),
    ...options,
  });

interface Body {
  readonly extensions?: { readonly proof?: boolean; readonly trusted?: string };
}
interface Reply {
  data: { proposal: { title: string; votes: { totalCount: string; nodes: unknown[] } } };
  extensions: { proof: { validators?: unknown } };
}

/** Hears of the requests and the answers of a client. `change` changes an answer, as a server could that lies. */
function watch(change: (reply: Reply) => void = () => {}): { readonly asked: Body[]; readonly replies: Reply[] } {
  const [asked, replies]: [Body[], Reply[]] = [[], []];
  const real = globalThis.fetch;
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
    const response = await real(input, init);
    if (!String(input).endsWith('/graphql')) return response;
    asked.push(JSON.parse(String(init?.body)) as Body);
    const reply = (await response.json()) as Reply;
    change(reply);
    replies.push(reply);
    return Response.json(reply, { status: response.status });
  });
  return { asked, replies };
}

describe('A query with `verify`', () => {
  it('has the level of each field, and keeps the block for the next one', async () => {
    const { asked, replies } = watch();
    const client = clientOf();
    const { data, height, verified } = await client.query<Reply['data']>(document, variables, { verify: true });
    expect(data.proposal.title).not.toBe('');
    expect(verified).toMatchObject({ trust: 'FIRST_USE', height: BigInt(height!) });
    const level = (path: string) => verified?.fields.get(path)?.level;
    expect(['proposal.title', 'proposal.tally.yesCount', 'proposal.messages.json'].map(level)).toEqual([
      'PROVEN',
      'RECOMPUTED',
      'ASSERTED',
    ]);
    expect(asked[0]?.extensions).toEqual({ proof: true });
    expect(replies[0]?.extensions.proof.validators).toBeDefined();

    const next = await client.query(document, variables, { verify: true });
    // The first answer was believed, so no later one is believed more.
    expect(next.verified?.trust).toBe('FIRST_USE');
    expect(asked[1]?.extensions).toEqual({ proof: true, trusted: expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect(replies[1]?.extensions.proof.validators).toBeUndefined();
    client.close();
  });

  it('is rejected with the field if the server leaves out a vote', async () => {
    watch(({ data: { proposal } }) => {
      proposal.votes.nodes.pop();
      proposal.votes.totalCount = String(proposal.votes.nodes.length);
    });
    const client = clientOf();
    const error: unknown = await client.query(document, variables, { verify: true }).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(UnprovenAnswerError);
    expect(error).toBeInstanceOf(SteleError);
    expect(error).toMatchObject({
      code: 'ANSWER_NOT_PROVEN',
      reason: 'WRONG_VALUE',
      path: ['proposal', 'votes', 'totalCount'],
    });
    client.close();
  });

  it('follows a named block', async () => {
    const read = blocksOf(chain.node.url);
    const { hash } = await read(2n);
    const trust = { height: 2, hash: toHex(hash) };
    const client = clientOf();
    await expect(client.query(document, variables, { verify: { trust } })).rejects.toMatchObject({ reason: 'NOT_TRUSTED' });
    const { verified } = await client.query(document, variables, { verify: { trust, read } });
    expect(verified?.trust).toBe('CHECKPOINT');
    // The block of the answer is kept, and nothing is read for the next one.
    expect((await client.query(document, variables, { verify: { trust } })).verified?.trust).toBe('CHECKPOINT');
    client.close();

    const other = clientOf();
    const wrong = { height: 2, hash: 'ab'.repeat(32) };
    await expect(other.query(document, variables, { verify: { trust: wrong, read } })).rejects.toMatchObject({
      code: 'ANSWER_NOT_PROVEN',
      reason: 'WRONG_HASH',
    });
    other.close();
  });

  it('is rejected if the server makes no proofs, and if there is no verifier', async () => {
    const unproven = await startStack([chain.node.url]);
    await unproven.client.head.waitFor(chain.devnet.height, soon);
    const client = clientOf({ url: `${unproven.server.url}/graphql` });
    await expect(client.query(document, variables, { verify: true })).rejects.toMatchObject({ code: 'PROOF_UNAVAILABLE' });
    client.close();
    await unproven.close();

    const without = clientOf({ verifier: undefined });
    await expect(without.query(document, variables, { verify: true })).rejects.toThrow('the option `verifier`');
    without.close();
  });
});
