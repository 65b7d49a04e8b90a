import { request as httpRequest } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readRecording } from '../../recordings/recordings.ts';
import { createReplayNode, type ReplayNode } from '../../replay/replayNode.ts';
import { type Stack, startStack } from '../../support/stack.ts';
import { at, get } from './rest.ts';

let node: ReplayNode;
let stack: Stack;
const world = readRecording('world');
const council = world.council.policy;

beforeAll(async () => {
  node = await createReplayNode();
  stack = await startStack([node.url]);
  await stack.client.head.ready({ milliseconds: 10_000 });
  await stack.client.descriptors.pool();
});

beforeEach(() => node.reset());

afterAll(async () => {
  expect(stack.masked).toEqual([]);
  await stack.close();
  await node.close();
});

/** Sends a request with a path that is not normalized. */
function raw(
  path: string,
  body?: string,
): Promise<{ status: number; body: { code: number; message: string; details: unknown[] } }> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(stack.server.url);
    const method = body === undefined ? 'GET' : 'POST';
    const headers = { 'content-type': 'application/json', 'x-cosmos-block-height': '566' };
    const asked = httpRequest({ hostname, port, path, method, headers }, (response) => {
      let text = '';
      response.on('data', (chunk) => {
        text += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body: JSON.parse(text) }));
    });
    asked.on('error', reject).end(body);
  });
}

const stateReads = () => node.calls.filter(({ method }) => method === 'abci_query');
const both = ['', '/rest'];

describe('T24: path segments', () => {
  const account = world.addr.alice;
  const paths = [
    '/cosmos/group/v1/%2e%2e%2fproposal/3',
    '/cosmos/group/v1/../v1/proposal/3',
    '/cosmos/group/v1/proposal/3%00',
    '/cosmos/group/v1/proposal/%0a',
    '/cosmos/group/v1/votes_by_voter/%zz',
    '/cosmos/group/v1/votes_by_voter/%c3%28',
    '/cosmos/group/v1/votes_by_voter/%252e%252e%252f',
    '/cosmos/group/v1/votes_by_voter/a;b',
    '/cosmos/group/v1/votes_by_voter/http:%2f%2fevil.example',
    `/provenance/attribute/v1/attribute/${account}%2f..%2fx/kyc.pb`,
    '/provenance/attribute/v1/attribute/%5cx/kyc.pb',
  ];

  it.each(both)('%s: invalid escapes, `..`, control characters and URLs are 400 without a call of a node', async (base) => {
    for (const path of paths) {
      const { status, body } = await raw(base + path);
      expect([path, status, body.code]).toEqual([path, 400, 3]);
    }
    expect(stateReads()).toEqual([]);
  });

  it('an absolute URL in the request line matches no path', async () => {
    const { status } = await raw('http://evil.example/cosmos/group/v1/proposal/3');
    expect(status).toBe(404);
    expect(stateReads()).toEqual([]);
  });

  it('a denom can contain slashes, escaped or not', async () => {
    const plain = await raw('/cosmos/bank/v1beta1/denoms_metadata/ibc/ABC');
    const escaped = await raw('/cosmos/bank/v1beta1/denoms_metadata/ibc%2FABC');
    expect(plain.body.message).toContain('ibc/ABC');
    expect(escaped).toEqual(plain);
  });

  it('an address of another chain is rejected by the chain: 400', async () => {
    const { body, status } = await get(stack.server, '/cosmos/group/v1/proposals_by_group_policy/xyz', at(566));
    expect([status, body.code]).toEqual([400, 3]);
  });
});

describe('T29: 64-bit integers', () => {
  const wrong = ['18446744073709551616', '1e3', '1.5', '%205', '%2B5', '0x10', 'true', '-1', '05', '9'.repeat(200), '%D9%A3'];

  it.each(both)('%s: anything but an integer within 64 bits is 400', async (base) => {
    // Under /rest, integers in other bases are valid, as on a node (gateway.test.ts).
    const here = base === '' ? wrong : wrong.filter((id) => !/^0/.test(id));
    for (const id of here) {
      const { status, body } = await raw(`${base}/cosmos/group/v1/proposal/${id}`);
      expect([id, status, body.code]).toEqual([id, 400, 3]);
    }
    expect(stateReads()).toEqual([]);
  });

  it('large ones are sent exactly', async () => {
    for (const id of ['18446744073709551615', '9007199254740993', '9223372036854775807']) {
      await raw(`/cosmos/group/v1/proposal/${id}`);
      expect(stateReads().at(-1)?.request).toEqual({ proposalId: id });
    }
  });

  it("the error for one that is too large is the node's at /rest", async () => {
    const { body } = await raw('/rest/cosmos/group/v1/groups?pagination.limit=18446744073709551616');
    expect(body.message).toBe('strconv.ParseUint: parsing "18446744073709551616": value out of range');
  });
});

describe('T30, T31: heights and booleans', () => {
  it('an invalid height is 400 with its name; the error for a future height contains both heights', async () => {
    for (const height of ['abc', '-1', '1e3', '9'.repeat(30)]) {
      const { status, body } = await get(stack.server, '/cosmos/group/v1/proposal/3', at(height));
      expect([height, status, body.code]).toEqual([height, 400, 3]);
      expect(body.details[0].metadata.argument).toBe('x-cosmos-block-height');
    }
    const { status, body } = await get(stack.server, '/cosmos/group/v1/proposal/3', at(567));
    expect([status, body.code]).toEqual([400, 11]);
    expect(body.details[0]).toMatchObject({
      reason: 'HEIGHT_NOT_YET_AVAILABLE',
      metadata: { height: '567', latestHeight: '566' },
    });
    expect(stateReads()).toEqual([]);
  });

  it('`yes` is not a boolean', async () => {
    for (const base of both) {
      const { status, body } = await raw(`${base}/cosmos/group/v1/groups?pagination.countTotal=yes`);
      expect([status, body.code]).toEqual([400, 3]);
      expect(body.message).toContain(base === '' ? 'pagination.countTotal' : 'strconv.ParseBool: parsing "yes"');
    }
  });

  it('at /rest height 0 is the newest, and a negative height is rejected', async () => {
    const newest = await get(stack.server, '/rest/cosmos/group/v1/proposal/3', at(0));
    expect(newest.headers.get('grpc-metadata-x-cosmos-block-height')).toBe('566');
    expect((await get(stack.server, '/rest/cosmos/group/v1/proposal/3', at(-1))).status).toBe(500);
  });
});

describe('T32, T33, T34: pages', () => {
  const path = `/cosmos/group/v1/proposals_by_group_policy/${council}`;
  const refused = async (query: string, base = '') => {
    const { status, body } = await raw(`${base}${path}?${query}`);
    return { status, code: body.code, message: body.message };
  };

  it('T32: a key together with an offset is rejected without a read', async () => {
    const { status, code, message } = await refused('pagination.key=AAAAAAAAAAo%3D&pagination.offset=2');
    expect([status, code]).toEqual([400, 3]);
    expect(message).toContain('either offset or key is expected, got both');
    expect(stateReads()).toEqual([]);
  });

  it('T33: sizes and offsets are bounded in the documented dialect, and the error names the limit', async () => {
    expect(await refused('pagination.limit=201')).toMatchObject({ status: 400, code: 3 });
    expect((await refused('pagination.limit=1000000000')).message).toContain('at most 200 (rest.page.max)');
    expect((await refused('pagination.offset=25001')).message).toContain('at most 25000 (page.offset)');
    for (const base of both)
      for (const query of ['pagination.limit=-1', 'pagination.offset=-1', 'pagination.offset=18446744073709551616'])
        expect(await refused(query, base)).toMatchObject({ status: 400, code: 3 });
    expect(stateReads()).toEqual([]);
    expect((await refused('pagination.limit=200')).status).toBe(200);
  });

  it('T33: a page without a size has at most 100 items', async () => {
    await raw(path);
    expect(stateReads().map(({ request }) => request)).toEqual([{ address: council, pagination: { limit: '100' } }]);
    node.reset();
    expect((await refused('pagination.limit=')).status).toBe(200);
    expect((await refused('pagination.limit=0')).status).toBe(200);
    expect(stateReads()).toEqual([]);
  });

  it('T34: a key that is not base64 or too long is 400; a key of another list exposes no other account', async () => {
    for (const base of both) {
      for (const key of ['!!!', 'A', 'AA==A', 'A'.repeat(1370)]) {
        const answer = await refused(`pagination.key=${key}`, base);
        expect([base, key, answer.status, answer.code]).toEqual([base, key, 400, 3]);
      }
    }
    expect(stateReads()).toEqual([]);
    const { body } = await get(stack.server, `${path}?pagination.key=AAAAAAAAAA8%3D&pagination.limit=5`, at(102));
    for (const { groupPolicyAddress } of body.proposals) expect(groupPolicyAddress).toBe(council);
    expect(body.proposals.length).toBeGreaterThan(0);
  });

  it('accepts base64url and unescaped plus signs for the same key', async () => {
    const key = Buffer.from([251, 255, 254, 0, 0, 0, 0, 1]).toString('base64');
    const asked = [encodeURIComponent(key), key, key.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')];
    const answers = await Promise.all(asked.map((each) => raw(`${path}?pagination.key=${each}&pagination.limit=5`)));
    expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
  });

  it('a repeated parameter is rejected in the documented dialect, under either of its names', async () => {
    expect((await refused('pagination.limit=1&pagination.limit=2')).message).toContain('given once');
    expect((await refused('pagination.count_total=true&pagination.countTotal=false')).status).toBe(400);
    expect((await refused('pagination.limit=1&pagination.limit=2', '/rest')).status).toBe(200);
  });

  it('a parameter that only resembles a field is ignored', async () => {
    const names = ['__proto__.x', 'constructor', 'pagination', 'pagination.limit.x', 'pagination.'.repeat(50), '=', 'a%00b'];
    for (const name of names.slice(0, -1)) expect((await refused(`${name}=1`)).status).toBe(200);
    expect((await refused(`${names.at(-1)}=${'%00'}`)).status).toBe(400);
    expect(({} as { x?: unknown }).x).toBeUndefined();
  });
});

describe('bodies', () => {
  const path = '/provenance/tx/v1/calculate_flat_fee';

  it.each(both)('%s: a body that is not the JSON object of the request is 400', async (base) => {
    for (const body of ['', '{', '[]', '"x"', '{"tx_bytes":5}', '{"nope":1}', '['.repeat(100_000), '{"gas_adjustment":"x"}'])
      expect([body.slice(0, 20), (await raw(base + path, body)).status]).toEqual([body.slice(0, 20), 400]);
  });

  it.each(both)('%s: a deeply nested body is 400, in a known or an unknown field', async (base) => {
    for (const field of ['tx_bytes', 'nope']) {
      const { status, body } = await raw(base + path, `{"${field}":${'['.repeat(30_000)}${']'.repeat(30_000)}}`);
      expect([status, body.message]).toEqual([400, expect.stringContaining('nested at most 64 deep')]);
    }
  });

  it('one that is too large is 413', async () => {
    const { status, body } = await raw(path, `{"tx_bytes":"${'A'.repeat(1_500_000)}"}`);
    expect([status, body.code]).toEqual([413, 3]);
  });

  it('an invalid broadcast sends nothing', async () => {
    const body = '{"tx_bytes":"","mode":"BROADCAST_MODE_SYNC"}';
    expect((await raw('/cosmos/tx/v1beta1/txs', body)).status).toBe(405);
    expect((await raw('/rest/cosmos/tx/v1beta1/txs', body)).status).toBe(400);
    expect(node.calls.filter(({ method }) => method.startsWith('broadcast'))).toEqual([]);
  });
});
