import { fromBinary } from '@bufbuild/protobuf';
import { createClient as createSocketClient, type ExecutionResult } from 'graphql-ws';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import type { BundleJson } from '../../../packages/verify/src/bundle.ts';
import { toHex, verify } from '../../../packages/verify/src/entry/index.ts';
import { createLightClient } from '../../../src/chain/lightClient/lightClient.ts';
import { createTrustedDocuments } from '../../../src/graphql/documents/requestParams.ts';
import { QueryTallyResultResponseSchema } from '../../../src/proto/cosmos/group/v1/query_pb.js';
import { commitKnown } from '../../roots/knownRoots.ts';
import { startChain, type TestChain } from '../../support/chain.ts';
import { createGroup, describeGroup, submitProposal, type TestGroup, vote } from '../../support/groups.ts';
import { callsForAnswers, proveBundle, setOf } from '../../support/proofs.ts';
import { type Stack, type StackOptions, startStack } from '../../support/stack.ts';

/** Several validators, of which one is absent at some heights, and one votes for no block. */
const cosigners = (height: bigint) => [
  { seed: 'b', power: 900_000_000n },
  { seed: 'c', power: 800_000_000n, ...(height % 3n === 0n && { vote: 'ABSENT' as const }) },
  { seed: 'd', power: 10_000_000n, vote: 'NIL' as const },
];

const soon = { milliseconds: 20_000 };
const tallyDocument = 'query Tally($id: ID!) { proposal(id: $id) { status tally { yesCount } votes { nodes { option } } } }';
const tallyPath = '/cosmos.group.v1.Query/TallyResult';

interface Result {
  readonly data?: unknown;
  readonly errors?: readonly { readonly message: string; readonly extensions: Record<string, unknown> }[];
  readonly extensions?: {
    readonly height?: string;
    readonly proof?: BundleJson | null;
    readonly cost?: { readonly requested: number };
  };
}

let chain: TestChain;
let stack: Stack;
let group: TestGroup;
let id: bigint;
const more: Stack[] = [];

async function startWithProofs(options: StackOptions = {}): Promise<Stack> {
  const started = await startStack([chain.node.url], { upstream: { light: createLightClient({}) } }, options);
  await started.client.head.waitFor(chain.devnet.height, soon);
  return started;
}

beforeAll(async () => {
  chain = await startChain({ cosigners });
  const [one, two, three] = chain.accounts;
  group = await createGroup(chain, [
    [one!, '1'],
    [two!, '1'],
    [three!, '1'],
  ]);
  id = await submitProposal(chain, group, one!);
  await chain.run(two!, vote(two!, id));
  await chain.devnet.commit();
  stack = await startWithProofs({ server: { trustedDocuments: createTrustedDocuments({ tally: tallyDocument }) } });
  await stack.client.descriptors.pool();
});

beforeEach(async () => {
  await stack.client.head.waitFor(await chain.devnet.commit(), soon);
});

afterEach(async () => {
  chain.node.heal();
  for (const one of more.splice(0)) await one.close();
});

afterAll(async () => {
  await stack.close();
  await chain.devnet.close();
});

async function post(
  body: object,
  { headers = {}, to = stack }: { readonly headers?: Record<string, string>; readonly to?: Stack } = {},
): Promise<{ readonly response: Response; readonly result: Result }> {
  const response = await fetch(`${to.server.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  return { response, result: (await response.json()) as Result };
}

const tallyOf = (extensions?: object) => ({ query: tallyDocument, variables: { id: id.toString() }, extensions });

/** The count of yes votes that follows from a bundle. */
async function provenYes(bundle: BundleJson): Promise<string> {
  const { answers } = await proveBundle(bundle);
  for (const [request, answer] of answers) {
    if (!request.startsWith(tallyPath) || !('value' in answer)) continue;
    return fromBinary(QueryTallyResultResponseSchema, answer.value).tally!.yesCount;
  }
  return expect.fail('no tally is proven');
}

describe('an answer with a proof', () => {
  it('has what its values follow from, signed by more than two thirds of the power', async () => {
    const { result, response } = await post(tallyOf({ proof: true }));
    expect(result.errors).toBeUndefined();
    const bundle = result.extensions!.proof!;
    expect(result.data).toMatchObject({
      proposal: { tally: { yesCount: '1' }, votes: { nodes: [{ option: 'VOTE_OPTION_YES' }] } },
    });
    expect(await provenYes(bundle)).toBe('1');
    const { power, height } = await proveBundle(bundle);
    expect(power.signedPower * 3n).toBeGreaterThan(power.totalPower * 2n);
    // The newest height whose next header is verified.
    expect(height).toBe(chain.devnet.height - 1n);
    expect(result.extensions!.height).toBe(height.toString());
    expect(response.headers.get('x-cosmos-block-height')).toBe(height.toString());
    expect(bundle.reads.map(({ path }) => path.split('/').at(-1)).toSorted()).toEqual([
      'Proposal',
      'TallyResult',
      'VotesByProposal',
    ]);
    const verified = await verify(result, { document: tallyDocument, variables: { id: id.toString() } });
    expect(new Map([...verified.fields].map(([path, { level }]) => [path, level]))).toEqual(
      new Map(Object.entries(bundle.fields)),
    );
    expect(bundle.fields).toMatchObject({ 'proposal.status': 'PROVEN', 'proposal.tally.yesCount': 'RECOMPUTED' });
    // Only the votes that are needed for two thirds.
    const { signatures } = bundle.commit as { signatures: { block_id_flag: number }[] };
    expect(signatures.map(({ block_id_flag }) => block_id_flag)).toEqual([2, 2, 1, 1]);
  });

  it('is the same when the header asks for it, and none comes without either', async () => {
    const { result } = await post(tallyOf({ proof: true }));
    const byHeader = await post(tallyOf(), { headers: { 'accept-proof': '1' } });
    expect(byHeader.result).toEqual(result);
    expect(byHeader.response.headers.get('vary')).toContain('accept-proof');
    const plain = await post(tallyOf());
    expect(plain.result.extensions).toEqual({ height: chain.devnet.height.toString() });
    for (const proof of [false, null]) expect((await post(tallyOf({ proof }))).result.extensions).not.toHaveProperty('proof');
    for (const proof of ['true', 1, {}]) {
      const { result: refused } = await post(tallyOf({ proof }));
      expect(refused.errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT', argument: 'extensions.proof' } }]);
      expect(refused).not.toHaveProperty('data');
    }
    expect((await post(tallyOf(), { headers: { 'accept-proof': '0' } })).result.extensions).not.toHaveProperty('proof');
  });

  it('has no validators that the client has', async () => {
    const { result } = await post(tallyOf({ proof: true }));
    const set = setOf(result.extensions!.proof!);
    for (const trusted of [toHex(set.hash), toHex(set.hash).toLowerCase()]) {
      const short = (await post(tallyOf({ proof: true, trusted }))).result.extensions!.proof!;
      expect(short).not.toHaveProperty('validators');
      expect((await proveBundle(short, set)).height).toBe(chain.devnet.height - 1n);
      const headers = { 'accept-proof': '1', 'trusted-validators': trusted };
      expect((await post(tallyOf(), { headers })).result.extensions!.proof).toEqual(short);
    }
    const other = (await post(tallyOf({ proof: true, trusted: '00'.repeat(32) }))).result.extensions!.proof!;
    expect(other.validators).toHaveLength(4);
    for (const trusted of ['', 'ab', 7, {}]) {
      const { result: refused } = await post(tallyOf({ proof: true, trusted }));
      expect(refused.errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT', argument: 'trusted' } }]);
      expect(refused).not.toHaveProperty('data');
    }
  });

  it('is made once for a height: an equal request needs no call and no execution', async () => {
    const { result } = await post(tallyOf({ proof: true }));
    chain.node.counters.reset();
    const again = await post(tallyOf({ proof: true }));
    expect(again.result).toEqual(result);
    expect(again.response.headers.get('cache-status')).toBe('stele; hit');
    expect(callsForAnswers(chain.node.counters.log)).toEqual([]);
    // An answer without a proof that was kept is no answer with one.
    const { result: plain } = await post(tallyOf());
    expect(plain.extensions).not.toHaveProperty('proof');
  });

  it('proves nothing again at later heights, as long as its stores do not change', async () => {
    await post(tallyOf({ proof: true }));
    for (let blocks = 0; blocks < 3; blocks += 1) await commitKnown(chain, stack);
    chain.node.counters.reset();
    const { result } = await post(tallyOf({ proof: true }));
    // The proofs of the roots come from those that each block causes.
    expect(chain.node.counters.byMethod.abci_query).toBeUndefined();
    const { height } = await verify(result, { document: tallyDocument, variables: { id: id.toString() } });
    expect(height).toBe(chain.devnet.height - 1n);
  });

  it('has the height and the time of its block, and says which fields are not proven', async () => {
    const document = '{ head { height time } limits { name } }';
    const { result } = await post({ query: document, extensions: { proof: true } });
    expect(result.errors).toBeUndefined();
    const bundle = result.extensions!.proof!;
    const { time } = bundle.previous as { time: string };
    expect(result.data).toMatchObject({ head: { height: bundle.height, time } });
    const { fields } = await verify(result, { document });
    expect(bundle.fields).toEqual(Object.fromEntries([...fields].map(([path, { level }]) => [path, level])));
    expect(bundle.fields).toMatchObject({ limits: 'ASSERTED', 'limits.name': 'ASSERTED' });
  });

  it('costs a point for each key of its proof', async () => {
    const costOf = async (extensions: object): Promise<number> =>
      (await post(tallyOf({ cost: true, ...extensions }))).result.extensions!.cost!.requested;
    // The proposal, its votes and the ends of their range, and the tally: again the votes, the policy, the group and the member.
    expect((await costOf({ proof: true })) - (await costOf({}))).toBeGreaterThanOrEqual(6);
  });
});

describe('the height of an answer with a proof', () => {
  it('stays that of a request that names it, whatever happens later', async () => {
    const height = chain.devnet.height - 1n;
    const before = await post(tallyOf({ proof: true, height: height.toString() }));
    await chain.run(chain.accounts[2]!, vote(chain.accounts[2]!, id));
    await stack.client.head.waitFor(await chain.devnet.commit(), soon);
    const headers = { 'x-cosmos-block-height': height.toString() };
    const after = await post(tallyOf({ proof: true }), { headers });
    expect(after.result).toEqual(before.result);
    expect(await provenYes(after.result.extensions!.proof!)).toBe('1');
    const newest = await post(tallyOf({ proof: true }));
    expect(newest.result.data).toMatchObject({ proposal: { tally: { yesCount: '2' } } });
    expect(await provenYes(newest.result.extensions!.proof!)).toBe('2');
  });

  it('can be the newest, once the next header is there', async () => {
    const height = chain.devnet.height;
    const waiting = vi.spyOn(stack.client.head, 'waitFor');
    const isAnswered = post(tallyOf({ proof: true, height: height.toString() }));
    await vi.waitFor(() => expect(waiting).toHaveBeenCalledWith(height + 1n, expect.anything()), {
      interval: 2,
      timeout: 20_000,
    });
    waiting.mockRestore();
    await chain.devnet.commit();
    const { result } = await isAnswered;
    expect((await proveBundle(result.extensions!.proof!)).height).toBe(height);
    const least = await post(tallyOf({ proof: true, minHeight: height.toString() }));
    expect(BigInt(least.result.extensions!.height!)).toBe(height);
  });

  it('is refused above the newest', async () => {
    const { result } = await post(tallyOf({ proof: true, height: (chain.devnet.height + 1n).toString() }));
    expect(result.errors).toMatchObject([{ extensions: { code: 'HEIGHT_NOT_YET_AVAILABLE' } }]);
    expect(result.extensions?.proof).toBeUndefined();
  });
});

describe('without a proof', () => {
  it('a request for one is refused before it is executed, where there is none', async () => {
    const off = await startStack([chain.node.url]);
    more.push(off);
    await off.client.head.waitFor(chain.devnet.height, soon);
    chain.node.counters.reset();
    const { result } = await post(tallyOf({ proof: true }), { to: off });
    expect(result.errors).toMatchObject([{ extensions: { code: 'PROOF_UNAVAILABLE', reason: 'OFF' } }]);
    expect(result).not.toHaveProperty('data');
    expect(JSON.stringify(chain.node.counters.log)).not.toContain('/cosmos.group.v1.Query/');
  });

  it('mutations, subscriptions and live queries are refused', async () => {
    const documents = [
      'mutation { broadcastTxAsync(tx: "AA==") { hash } }',
      'subscription { newBlock { height } }',
      'query @live { head { height } }',
    ];
    for (const query of documents) {
      const { result } = await post(
        { query, extensions: { proof: true } },
        { headers: { accept: 'application/json, text/event-stream' } },
      );
      expect(result.errors).toMatchObject([{ extensions: { code: 'PROOF_UNAVAILABLE', reason: 'OPERATION' } }]);
    }
    const { result: past } = await post(tallyOf({ proof: true, since: '2' }));
    expect(past.errors).toMatchObject([{ extensions: { code: 'PROOF_UNAVAILABLE', reason: 'OPERATION' } }]);
    expect(chain.node.counters.byMethod.broadcast_tx_async).toBeUndefined();
  });

  it('the data is there beside the reason, and is not kept', async () => {
    // Nothing of the new root is proven yet.
    await chain.run(chain.accounts[0]!, describeGroup(chain.accounts[0]!, group, 'Another description'));
    await commitKnown(chain, stack);
    chain.node.faults.forge = ({ method, params }, answer) => {
      const { path = '', prove = false } = params as { path?: string; prove?: boolean };
      if (method !== 'abci_query' || !path.startsWith('/store/group/') || !prove) return answer;
      const { response } = answer as { response: { proofOps: { ops: object[] } } };
      return { response: { ...response, proofOps: { ops: response.proofOps.ops.slice(1) } } } as never;
    };
    const { result, response } = await post(tallyOf({ proof: true }));
    expect(response.status).toBe(200);
    expect(result.data).toMatchObject({ proposal: { status: 'PROPOSAL_STATUS_SUBMITTED' } });
    expect(result.extensions).toMatchObject({ proof: null });
    expect(result.errors).toMatchObject([{ extensions: { code: 'PROOF_UNAVAILABLE', reason: 'INVALID' } }]);
    chain.node.heal();
    expect((await post(tallyOf({ proof: true }))).result.extensions!.proof).not.toBeNull();
  });

  it('names the limit that a proof is over', async () => {
    for (const [limit, max] of [
      ['proof.keys', 3],
      ['proof.bytes', 200],
    ] as const) {
      const small = await startWithProofs({ server: { limits: { [limit]: max } } });
      more.push(small);
      const { result } = await post(tallyOf({ proof: true }), { to: small });
      expect(result.errors).toMatchObject([{ extensions: { code: 'PROOF_UNAVAILABLE', reason: 'TOO_LARGE', limit, max } }]);
      expect(result.data).not.toBeNull();
    }
  });

  it('says that no node has the state any more', async () => {
    const own = await startWithProofs();
    more.push(own);
    const height = (chain.devnet.height - 1n).toString();
    await post(tallyOf({ height }), { to: own });
    chain.node.prune(chain.devnet.height);
    const { result } = await post(tallyOf({ proof: true, height }), { to: own });
    expect(result.errors).toMatchObject([{ extensions: { code: 'PROOF_UNAVAILABLE', reason: 'PRUNED' } }]);
    expect(result.data).toMatchObject({ proposal: { status: 'PROPOSAL_STATUS_SUBMITTED' } });
  });
});

describe('every transport', () => {
  it('of a trusted document at a height that its URL names, caches forever', async () => {
    const height = (chain.devnet.height - 1n).toString();
    const params = new URLSearchParams({
      documentId: 'tally',
      variables: JSON.stringify({ id: id.toString() }),
      extensions: JSON.stringify({ proof: true }),
      height,
    });
    const response = await fetch(`${stack.server.url}/graphql?${params}`);
    const { extensions } = (await response.json()) as Result;
    expect((await proveBundle(extensions!.proof!)).height).toBe(BigInt(height));
    expect(response.headers.get('cache-control')).toBe('private, immutable, max-age=31536000');
  });

  it('of one event, has the proof in it', async () => {
    const response = await fetch(`${stack.server.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'text/event-stream', 'accept-proof': '1' },
      body: JSON.stringify(tallyOf()),
    });
    const data = /^data: ?(\{.*)$/m.exec(await response.text())![1]!;
    expect((await proveBundle((JSON.parse(data) as Result).extensions!.proof!)).height).toBe(chain.devnet.height - 1n);
  });

  it('of a WebSocket, has the proof in the result', async () => {
    const url = `${stack.server.url.replace('http', 'ws')}/graphql`;
    const client = createSocketClient({ url, webSocketImpl: WebSocket, retryAttempts: 0 });
    const next = async (body: object): Promise<ExecutionResult> => (await client.iterate(body as never).next()).value;
    const { extensions } = (await next(tallyOf({ proof: true }))) as Result;
    expect((await proveBundle(extensions!.proof!)).height).toBe(chain.devnet.height - 1n);
    await expect(next({ query: 'subscription { newBlock { height } }', extensions: { proof: true } })).rejects.toMatchObject([
      { extensions: { code: 'PROOF_UNAVAILABLE', reason: 'OPERATION' } },
    ]);
    await client.dispose();
  });

  it('of a batch is refused as before', async () => {
    const { result } = await post([tallyOf({ proof: true })]);
    expect(result.errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }]);
  });
});
