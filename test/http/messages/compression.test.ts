import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { request as createRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AnswerBody, plainBody } from '../../../src/answers/answer.ts';
import { createMemoryBudget } from '../../../src/chain/memory/memoryBudget.ts';
import { createCompression, fillPacked, gzipOf } from '../../../src/server/messages/sendAnswer.ts';
import { commitKnown } from '../../roots/knownRoots.ts';
import { runsAll } from '../../support/atRandom.ts';
import { startChain, type TestChain } from '../../support/chain.ts';
import { createGroup } from '../../support/groups.ts';
import { type Stack, startStack } from '../../support/stack.ts';

let chain: TestChain;
let stack: Stack;

beforeAll(async () => {
  chain = await startChain();
  await createGroup(chain, [[chain.accounts[0]!, '1']]);
  stack = await startStack([chain.node.url]);
  await stack.client.head.ready();
});

afterAll(async () => {
  expect(stack.masked).toEqual([]);
  await stack.close();
  await chain.devnet.close();
});

interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
  /** The body without its coding. */
  readonly text: string;
}

/** Sends a request with exactly these headers. */
async function ask(path: string, headers: Record<string, string>, body?: string, method?: string): Promise<Reply> {
  const all = { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers };
  const chosen = method ?? (body === undefined ? 'GET' : 'POST');
  const request = createRequest(`${stack.server.url}${path}`, { method: chosen, headers: all, agent: false });
  request.end(body);
  const [response]: IncomingMessage[] = await once(request, 'response');
  const chunks: Buffer[] = [];
  for await (const chunk of response!) chunks.push(chunk as Buffer);
  const bytes = Buffer.concat(chunks);
  const isPacked = response!.headers['content-encoding'] === 'gzip' && bytes.length > 0;
  const text = (isPacked ? gunzipSync(bytes) : bytes).toString();
  return { status: response!.statusCode ?? 0, headers: response!.headers, bytes, text };
}

const fields = Array.from(
  { length: 12 },
  (_, index) => `g${index}: groups { nodes { id metadata version totalWeight createdAt } }`,
);
const large = JSON.stringify({ query: `{ ${fields.join(' ')} }` });
const small = JSON.stringify({ query: '{ head { height } }' });
const gzip = { 'accept-encoding': 'gzip, deflate, br' };

const packedEntries = () => stack.client.memory.stats().find(({ cache }) => cache === 'gzip')!;

describe('an answer of /graphql', () => {
  it('is the same with gzip, compressed once, at each height', async () => {
    await commitKnown(chain, stack);
    const plain = await ask('/graphql', {}, large);
    expect(JSON.parse(plain.text).errors).toBeUndefined();
    const before = packedEntries();
    const first = await ask('/graphql', gzip, large);
    const second = await ask('/graphql', gzip, large);
    for (const each of [first, second]) {
      expect(each.headers['content-encoding']).toBe('gzip');
      expect(each.headers['content-length']).toBe(String(each.bytes.length));
      expect(each.bytes.length).toBeLessThan(plain.bytes.length / 4);
      expect(each.text).toBe(plain.text);
    }
    for (const each of [plain, first]) expect(each.headers.vary).toContain('Accept-Encoding');
    expect(plain.headers['content-encoding']).toBeUndefined();

    await commitKnown(chain, stack);
    const height = stack.client.head.current()!.height.toString();
    const carried = await ask('/graphql', gzip, large);
    expect(carried.headers['cache-status']).toBe('stele; hit; detail=carried');
    const { data, extensions } = JSON.parse(carried.text);
    expect([data, extensions]).toEqual([JSON.parse(plain.text).data, { height }]);
    expect(packedEntries().entries - before.entries).toBe(1);
    expect(packedEntries().hits - before.hits).toBe(2);
  });

  it('with its cost is the same with gzip', async () => {
    const body = JSON.stringify({ ...JSON.parse(large), extensions: { cost: true } });
    const [plain, packed] = [await ask('/graphql', {}, body), await ask('/graphql', gzip, body)];
    expect(packed.headers['content-encoding']).toBe('gzip');
    expect(JSON.parse(packed.text).data).toEqual(JSON.parse(plain.text).data);
    expect(JSON.parse(packed.text).extensions.cost).toEqual({
      requested: expect.any(Number),
      computing: expect.any(Number),
      max: expect.any(Number),
      remaining: expect.any(Number),
    });
  });

  it('that cannot be kept is compressed, and not kept', async () => {
    const body = JSON.stringify({ query: `{ status { lastBlockAge } ${fields.join(' ')} }` });
    const before = packedEntries().entries;
    const { headers, text } = await ask('/graphql', gzip, body);
    expect([headers['content-encoding'], Object.keys(JSON.parse(text).data).length]).toEqual(['gzip', 13]);
    expect(packedEntries().entries).toBe(before);
  });

  it('that fits one packet is sent as it is, unless the client refuses that', async () => {
    expect((await ask('/graphql', gzip, small)).headers['content-encoding']).toBeUndefined();
    const required = await ask('/graphql', { 'accept-encoding': 'gzip, identity;q=0' }, small);
    expect(required.headers['content-encoding']).toBe('gzip');
    expect(JSON.parse(required.text).data.head.height).toBe(stack.client.head.current()!.height.toString());
  });
});

describe.each(['/cosmos/group/v1/group_members/1', '/rest/cosmos/group/v1/group_members/1'])('a response of %s', (path) => {
  const force = { 'accept-encoding': 'gzip, *;q=0' };

  it('has another entity tag with gzip, and each is revalidated', async () => {
    const [plain, packed] = [await ask(path, {}), await ask(path, force)];
    expect([plain.headers['content-encoding'], packed.headers['content-encoding']]).toEqual([undefined, 'gzip']);
    expect(packed.text).toBe(plain.text);
    expect(packed.headers.etag).toBe(plain.headers.etag!.replace(/"$/, '-gzip"'));
    for (const { headers } of [plain, packed]) {
      const known = await ask(path, { ...force, 'if-none-match': `"other", W/${headers.etag}` });
      expect([known.status, known.headers.etag, known.bytes.length]).toEqual([304, headers.etag, 0]);
      expect(known.headers.vary).toContain('Accept-Encoding');
    }
    expect((await ask(path, { ...force, 'if-none-match': '"other"' })).status).toBe(200);
  });

  it('to HEAD has the headers of the response to GET', async () => {
    const [get, head] = [await ask(path, force), await ask(path, force, undefined, 'HEAD')];
    expect(head.bytes.length).toBe(0);
    for (const name of ['content-encoding', 'content-length', 'etag', 'vary', 'content-type'])
      expect([name, head.headers[name]]).toEqual([name, get.headers[name]]);
  });
});

it('an aggregate is the same with gzip', async () => {
  const path = `/v1/balances/${chain.accounts[0]!.address}`;
  const [plain, packed] = [await ask(path, {}), await ask(path, { 'accept-encoding': 'gzip, identity;q=0' })];
  expect([plain.headers['content-encoding'], packed.headers['content-encoding']]).toEqual([undefined, 'gzip']);
  expect(packed.text).toBe(plain.text);
  expect(packed.headers.vary).toContain('Accept-Encoding');
});

it.each([
  [undefined, 'refused'],
  ['', 'refused'],
  ['br, deflate', 'refused'],
  ['gzip', 'allowed'],
  ['x-gzip', 'allowed'],
  ['GZIP;Q=0.5, br', 'allowed'],
  ['gzip;q=0', 'refused'],
  ['gzip;q=0.000, *', 'refused'],
  ['*', 'allowed'],
  ['*;q=0', 'refused'],
  ['gzip, *;q=0', 'required'],
  ['gzip;q=0.5, identity;q=0', 'required'],
  ['gzip;q=0.5, identity', 'refused'],
  ['gzip;q=0.5, identity;q=0.5', 'allowed'],
  ['mygzip, gzipped', 'refused'],
])('Accept-Encoding: %s is %s', (header, result) => {
  expect(gzipOf(header)).toBe(result);
});

describe('large answers', () => {
  const body = (): AnswerBody => ({ parts: [Buffer.alloc(300_000, 'a'), Buffer.from('}')], places: ['height'] });

  it('are compressed outside of the event loop, equal ones once, and not too many at a time', async () => {
    const compression = createCompression(createMemoryBudget());
    const bodies = Array.from({ length: 9 }, body);
    const packing = bodies.map((each) => compression.pack(each, 'gzip', { keep: true }));
    expect(packing.slice(0, 8).every((each) => each instanceof Promise)).toBe(true);
    expect(packing[8]).toBeUndefined();
    expect(compression.pack(bodies[0]!, 'gzip', { keep: true })).toBe(packing[0]);
    // The client accepts nothing else.
    const required = compression.pack(bodies[8]!, 'gzip, identity;q=0', { keep: true });
    const packed = await Promise.all([...packing.slice(0, 8), required]);
    for (const each of packed) {
      const text = gunzipSync(Buffer.concat(fillPacked(each!, ['12345']))).toString();
      expect(text === `${'a'.repeat(300_000)}12345}`).toBe(true);
    }
    expect(compression.pack(bodies[0]!, 'gzip', { keep: true })).toBe(packed[0]);
  });

  it.runIf(runsAll)('count towards the memory for answers', () => {
    const memory = createMemoryBudget({ bytes: 64 * 1024 * 1024 });
    const compression = createCompression(memory);
    for (let index = 0; index < 400; index += 1) {
      // Random bytes do not become smaller.
      compression.pack(plainBody(randomBytes(100_000)), 'gzip', { keep: true });
    }
    const { entries, bytes, evictions } = memory.stats().find(({ cache }) => cache === 'gzip')!;
    expect(entries).toBeGreaterThan(10);
    expect(evictions).toBe(400 - entries);
    expect(bytes).toBeLessThanOrEqual(memory.share('answers'));
    expect(bytes).toBeGreaterThan(entries * 100_000);
  });
});
