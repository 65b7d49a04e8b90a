import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rpcMethods } from '../../../src/chain/rpc/methods.ts';
import { fc, rounds, runsAll } from '../../support/atRandom.ts';
import { type RpcChain, startRpcChain } from './rpcChain.ts';

let rpc: RpcChain;
beforeAll(async () => {
  rpc = await startRpcChain();
});
afterAll(() => rpc.close());

const methods = Object.keys(rpcMethods).filter((name) => !name.startsWith('broadcast_'));
const value = fc.oneof(
  fc.constantFrom(null, true, '', '0', '1', '-1', '0x', '0x00', '"a"', '"', '99999999999999999999', '__proto__', '\u0000', '١'),
  fc.jsonValue(),
  fc.string(),
);
const names = fc.constantFrom(
  'height',
  'hash',
  'query',
  'path',
  'data',
  'page',
  'per_page',
  'prove',
  'tx',
  'limit',
  '__proto__',
);
const request = fc.record(
  {
    jsonrpc: fc.constantFrom('2.0', '1.0'),
    id: fc.oneof(fc.integer(), fc.string(), fc.constant(null), fc.double(), fc.jsonValue()),
    method: fc.oneof(fc.constantFrom(...methods), fc.string()),
    params: fc.oneof(fc.dictionary(names, value), fc.array(value, { maxLength: 6 }), value),
  },
  { requiredKeys: ['method'] },
);
const body = fc.oneof(
  request.map((one) => JSON.stringify(one)),
  fc.array(request, { maxLength: 12 }).map((all) => JSON.stringify(all)),
  fc.string(),
  fc.integer({ min: 1, max: 100_000 }).map((depth) => '['.repeat(depth)),
);

/** Checks any response: complete JSON or a page, a matching status, and no internals of the server. */
function check(root: string, { status, body: text, headers }: { status: number; body: string; headers: object }): void {
  // A node responds with 500 to bodies that are not requests. At the root paths, no input leads to 500.
  expect(root === '/' ? [200, 400, 403, 404] : [200, 403, 404, 500]).toContain(status);
  if (String((headers as Record<string, unknown>)['content-type']).startsWith('application/json')) JSON.parse(text);
  expect(text).not.toMatch(/node_modules|at \w+ \(|Something went wrong/);
  // The status of a node contains its own addresses. The address at which Stele reaches it is in no response.
  if (!text.includes('"node_info"')) expect(text).not.toContain(new URL(rpc.chain.node.url).host);
}

describe.each(['/', '/comet'])('random requests at %s', (root) => {
  it('calls at random by POST are answered as a node does', async () => {
    await fc.assert(
      fc.asyncProperty(body, async (text) => check(root, await rpc.post(root, text))),
      { numRuns: rounds(300) },
    );
    expect(rpc.stack.masked).toEqual([]);
  });

  it.runIf(runsAll)('calls at random by URI are answered as a node does', async () => {
    const base = root === '/' ? '' : root;
    const query = fc.array(fc.tuple(names, fc.oneof(fc.string(), fc.constantFrom('0', '"x"', '0xAB', '%zz', '-1'))), {
      maxLength: 4,
    });
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...methods), query, async (method, pairs) => {
        const search = pairs.map(([name, text]) => `${name}=${encodeURIComponent(text)}`).join('&');
        const answer = await rpc.get(`${base}/${method}?${search}`);
        // The documented status of a failed call by URI is 500.
        if (answer.status !== 500) check(root, answer);
        else expect(JSON.parse(answer.body)).toMatchObject({ id: -1, error: expect.anything() });
      }),
      { numRuns: 300 },
    );
    expect(rpc.stack.masked).toEqual([]);
  });
});
