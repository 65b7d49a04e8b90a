import { fromBinary } from '@bufbuild/protobuf';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { BundleJson } from '../../../packages/verify/src/bundle.ts';
import { toHex } from '../../../packages/verify/src/index.ts';
import { createLightClient } from '../../../src/chain/lightClient/lightClient.ts';
import { QueryAllBalancesResponseSchema } from '../../../src/proto/cosmos/bank/v1beta1/query_pb.js';
import { QueryTallyResultResponseSchema } from '../../../src/proto/cosmos/group/v1/query_pb.js';
import { startChain, type TestChain } from '../../support/chain.ts';
import { createGroup, submitProposal, vote } from '../../support/groups.ts';
import { callsForAnswers, proveBundle, setOf } from '../../support/proofs.ts';
import { type Stack, startStack } from '../../support/stack.ts';

const soon = { milliseconds: 20_000 };
const tallyPath = '/cosmos.group.v1.Query/TallyResult';

let chain: TestChain;
let stack: Stack;
let id: bigint;
let policy: string;

beforeAll(async () => {
  chain = await startChain();
  const [one, two] = chain.accounts;
  const group = await createGroup(chain, [
    [one!, '1'],
    [two!, '1'],
  ]);
  policy = group.policy;
  id = await submitProposal(chain, group, one!);
  await chain.run(two!, vote(two!, id));
  stack = await startStack([chain.node.url], {
    upstream: { light: createLightClient({}) },
    archive: { records: true },
  });
});

beforeEach(async () => {
  await stack.client.head.waitFor(await chain.devnet.commit(), soon);
  chain.node.heal();
});

afterAll(async () => {
  await stack.close();
  await chain.devnet.close();
});

const get = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${stack.server.url}${path}`, { headers });

async function proofAt(url: string | null, more = ''): Promise<BundleJson> {
  const response = await get(`${url}${more}`);
  expect(response.status).toBe(200);
  return ((await response.json()) as { proof: BundleJson }).proof;
}

/** The message that a bundle proves for a request of this path. */
async function answerTo(bundle: BundleJson, path: string): Promise<Uint8Array> {
  for (const [request, answer] of (await proveBundle(bundle)).answers)
    if (request.startsWith(`${path} `) && 'value' in answer) return answer.value;
  return expect.fail(`${path} is not proven`);
}

describe.each(['/rest', ''])('%s/cosmos', (base) => {
  it('names the URL of the proof of its answer', async () => {
    const url = `${base}/cosmos/group/v1/proposals/${id}/tally`;
    const response = await get(url, { 'accept-proof': '1' });
    const { tally } = (await response.json()) as { tally: { yes_count?: string; yesCount?: string } };
    const height = chain.devnet.height - 1n;
    expect(response.headers.get('x-cosmos-block-height')).toBe(height.toString());
    expect(response.headers.get('proof-url')).toBe(`/v1/proofs/${height}?read=${tallyPath}:CDM`);
    const proven = fromBinary(
      QueryTallyResultResponseSchema,
      await answerTo(await proofAt(response.headers.get('proof-url')), tallyPath),
    );
    expect(proven.tally!.yesCount).toBe(tally.yes_count ?? tally.yesCount);
    const plain = await get(url);
    expect([plain.headers.get('proof-url'), plain.headers.get('x-cosmos-block-height')]).toEqual([
      null,
      chain.devnet.height.toString(),
    ]);
    expect(plain.headers.get('vary')).toContain('accept-proof');
    // The answer is kept with its URL, and apart from the one without.
    chain.node.counters.reset();
    const again = await get(url, { 'accept-proof': '1' });
    expect(again.headers.get('proof-url')).toBe(response.headers.get('proof-url'));
    expect(again.headers.get('cache-status')).toBe('stele; hit');
    expect(callsForAnswers(chain.node.counters.log)).toEqual([]);
  });

  it('has none of what is read at no height', async () => {
    const response = await get(`${base}/cosmos/tx/v1beta1/txs?query=tx.height%3D1`, { 'accept-proof': '1' });
    expect(response.status).not.toBe(200);
    expect(await response.text()).toContain('no proof');
  });
});

describe('/v1', () => {
  it('names the URL of the proof of its answer', async () => {
    const { address } = chain.accounts[0]!;
    const response = await get(`/v1/balances/${address}?proof=1`);
    const body = (await response.json()) as { blockHeight: string; items: { denom: string; amount: string }[] };
    expect(body.blockHeight).toBe((chain.devnet.height - 1n).toString());
    const bundle = await proofAt(response.headers.get('proof-url'));
    const proven = fromBinary(QueryAllBalancesResponseSchema, await answerTo(bundle, '/cosmos.bank.v1beta1.Query/AllBalances'));
    expect(proven.balances.map(({ denom, amount }) => [denom, amount])).toEqual(
      body.items.map(({ denom, amount }) => [denom, amount]),
    );
    expect((await get(`/v1/balances/${address}`, { 'accept-proof': '1' })).headers.get('proof-url')).toBe(
      response.headers.get('proof-url'),
    );
    expect((await get(`/v1/balances/${address}`)).headers.get('proof-url')).toBeNull();
    const wrong = await get(`/v1/balances/${address}?proof=yes`);
    expect([wrong.status, await wrong.json()]).toMatchObject([400, { code: 'BAD_USER_INPUT', field: 'proof' }]);
    const list = await get(`/v1/proposals?groupPolicyAddress=${policy}&proof=1`, { accept: 'text/csv' });
    expect(await list.json()).toMatchObject({ code: 'PROOF_UNAVAILABLE', reason: 'OPERATION' });
  });

  it('has none of what the archive has recorded, whose state may be gone', async () => {
    const records = await get(`/v1/proposals?groupPolicyAddress=${policy}&proof=1`);
    expect(await records.json()).toMatchObject({ code: 'PROOF_UNAVAILABLE', reason: 'OPERATION' });
    expect((await get(`/v1/proposals?groupPolicyAddress=${policy}`)).status).toBe(200);
  });
});

describe('/v1/proofs/{height}', () => {
  it('has the proofs of several requests, and never changes', async () => {
    const height = chain.devnet.height - 1n;
    const url = `/v1/proofs/${height}?read=${tallyPath}:CDM,CDI&read=/cosmos.group.v1.Query/Proposal:CDM`;
    const bundle = await proofAt(url);
    expect((await proveBundle(bundle)).answers.size).toBe(3);
    await chain.run(chain.accounts[0]!, vote(chain.accounts[0]!, id));
    await stack.client.head.waitFor(chain.devnet.height, soon);
    const again = await get(url);
    expect(((await again.json()) as { proof: BundleJson }).proof).toEqual(bundle);
    expect(again.headers.get('cache-control')).toBe('private, max-age=86400, immutable');
    expect(again.headers.get('cache-status')).toBe('stele; hit');
    // The set that the client has.
    const set = setOf(bundle);
    expect(await proofAt(url, `&trusted=${toHex(set.hash)}`)).not.toHaveProperty('validators');
  });

  it('waits for the header after the newest block', async () => {
    const height = chain.devnet.height;
    const answering = proofAt(`/v1/proofs/${height}?read=${tallyPath}:CDM`);
    await chain.devnet.commit();
    expect((await proveBundle(await answering)).height).toBe(height);
  });

  it('leaves out what cannot be proven', async () => {
    const bundle = await proofAt(`/v1/proofs/${chain.devnet.height - 1n}?read=/cosmos.mint.v1beta1.Query/Inflation:`);
    expect([bundle.reads, bundle.stores]).toEqual([[], {}]);
    expect(await proveBundle(bundle)).toMatchObject({ height: chain.devnet.height - 1n });
  });

  it.each([
    ['0', '', 'height'],
    ['x', '', 'height'],
    ['2', '?read=CAE', 'read'],
    ['2', '?read=/cosmos.group.v1.Query/Proposal:C!', 'read'],
    ['2', '?read=store/group:CAE', 'read'],
    ['2', '?trusted=ab', 'trusted'],
    ['2', '?height=3', 'height'],
  ])('refuses %s%s', async (height, query, field) => {
    const response = await get(`/v1/proofs/${height}${query}`);
    expect([response.status, await response.json()]).toMatchObject([400, { code: 'BAD_USER_INPUT', field }]);
  });
});

it('Without verified headers there is no proof.', async () => {
  const off = await startStack([chain.node.url]);
  await off.client.head.waitFor(chain.devnet.height, soon);
  const { address } = chain.accounts[0]!;
  const unavailable = { code: 'PROOF_UNAVAILABLE', reason: 'OFF' };
  for (const path of [`/v1/balances/${address}?proof=1`, '/v1/proofs/2'])
    expect(await (await fetch(`${off.server.url}${path}`)).json()).toMatchObject(unavailable);
  const rest = await fetch(`${off.server.url}/cosmos/group/v1/proposals/${id}/tally`, { headers: { 'accept-proof': '1' } });
  expect(await rest.text()).toContain('no proofs');
  await off.close();
});
