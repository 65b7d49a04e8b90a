import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type QueryRow, readRecording } from '../../recordings/recordings.ts';
import { createReplayNode, type ReplayNode } from '../../replay/replayNode.ts';
import { type Stack, startStack } from '../../support/stack.ts';
import { at, get } from './rest.ts';

let node: ReplayNode;
let stack: Stack;
const world = readRecording('world');
const queries = readRecording('queries');
const board = at(world.boardHeight);

beforeAll(async () => {
  node = await createReplayNode();
  stack = await startStack([node.url]);
  await stack.client.head.ready({ milliseconds: 10_000 });
});

afterAll(async () => {
  expect(node.unrecorded).toEqual([]);
  expect(stack.masked).toEqual([]);
  await stack.close();
  await node.close();
});

const camel = (name: string): string => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** Integers that a node writes as strings. */
const integers = ['id', 'groupVersion', 'groupPolicyVersion', 'proposalId', 'total'];

/** Converts a response of the node's REST API to the documented dialect. */
function toDocumented(value: unknown, name = ''): unknown {
  if (name === 'nextKey') return value ?? '';
  if (integers.includes(name)) return Number(value);
  if (Array.isArray(value)) return value.map((item) => toDocumented(item));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [camel(key), toDocumented(member, camel(key))]));
}

/** Finds the row of a method whose URL contains `part`, at the height of the group fixtures. */
function rowOf(path: string, part: string): QueryRow & { readonly rest: NonNullable<QueryRow['rest']> } {
  const row = queries.find(
    (each) => each.path === path && each.height === '102' && each.rest?.status === 200 && each.rest.url.includes(part),
  );
  if (row?.rest === undefined) throw new Error(`no row of ${path}`);
  return { ...row, rest: row.rest };
}

const group = (method: string): string => `/cosmos.group.v1.Query/${method}`;
const council = world.council.policy;

describe('Proposal', () => {
  it('has integers as ids and versions, ISO 8601 times, names of enum values, and messages with type and value', async () => {
    const { id } = world.proposals['Board 3'] ?? Object.values(world.proposals)[11]!;
    const row = rowOf(group('Proposal'), `/proposal/${id}`);
    const { status, headers, body } = await get(stack.server, `/cosmos/group/v1/proposal/${id}`, board);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('application/json');
    expect(headers.get('x-cosmos-block-height')).toBe('102');
    const { messages, ...proposal } = body.proposal;
    const { messages: recorded, ...expected } = toDocumented((row.rest.body as { proposal: object }).proposal) as {
      messages: { '@type': string }[];
    };
    expect(proposal).toEqual(expected);
    expect(Object.keys(body.proposal).toSorted()).toEqual([
      'executorResult',
      'finalTallyResult',
      'groupPolicyAddress',
      'groupPolicyVersion',
      'groupVersion',
      'id',
      'messages',
      'metadata',
      'proposers',
      'status',
      'submitTime',
      'summary',
      'title',
      'votingPeriodEnd',
    ]);
    expect(Number.isInteger(body.proposal.id)).toBe(true);
    expect(Number.isInteger(body.proposal.groupVersion)).toBe(true);
    expect(messages.map(({ type }: { type: string }) => type)).toEqual(recorded.map((message) => message['@type']));
    for (const { value } of messages) expect(Buffer.from(value, 'base64').toString('base64')).toBe(value);
    const { data } = (await stack.ask(`{ at(height: 102) { proposal(id: ${id}) { messages { type value } } } }`)).body as {
      data: { at: { proposal: { messages: unknown } } };
    };
    expect(messages).toEqual(data.at.proposal.messages);
  });

  it('is 404 if absent, in the format of grpc-gateway', async () => {
    const { status, body, headers } = await get(stack.server, '/cosmos/group/v1/proposal/999', at(566));
    expect({ status, body }).toEqual({
      status: 404,
      body: {
        code: 5,
        message: 'codespace sdk code 38: not found: load proposal',
        details: [
          {
            '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
            reason: 'ABCI_QUERY_FAILED',
            domain: 'stele',
            metadata: { abciCode: '6', codespace: 'sdk' },
          },
        ],
      },
    });
    expect(headers.get('x-cosmos-block-height')).toBe('566');
    expect(headers.get('cache-control')).toBe('no-store');
  });
});

describe('TallyResult', () => {
  it('has counts as strings, and is 404 if the chain returns none', async () => {
    const row = queries.find(
      ({ path, height, rest }) => path === group('TallyResult') && height === '102' && rest?.status === 200,
    )!;
    const { status, body } = await get(stack.server, row.rest!.url, board);
    expect(status).toBe(200);
    expect(body).toEqual(toDocumented(row.rest!.body));
    expect(Object.keys(body.tally)).toEqual(['yesCount', 'abstainCount', 'noCount', 'noWithVetoCount']);
    const withdrawn = queries.find(({ response }) => response.log.startsWith("can't get the tally"))!;
    expect((await get(stack.server, withdrawn.rest!.url, at(withdrawn.height))).status).toBe(404);
    expect((await get(stack.server, '/cosmos/group/v1/proposals/999/tally', at(566))).status).toBe(404);
  });
});

describe('the votes', () => {
  it('VoteByProposalVoter returns the vote, or 404', async () => {
    const row = queries.find(({ path, rest }) => path === group('VoteByProposalVoter') && rest?.status === 200)!;
    const { body } = await get(stack.server, row.rest!.url, at(row.height));
    expect(body).toEqual(toDocumented(row.rest!.body));
    expect(Object.keys(body.vote).toSorted()).toEqual(['metadata', 'option', 'proposalId', 'submitTime', 'voter']);
    const none = queries.find(
      ({ path, response }) => path === group('VoteByProposalVoter') && response.log.startsWith('not found'),
    )!;
    const missing = await get(stack.server, none.rest!.url, at(none.height));
    expect(missing.status).toBe(404);
    expect(missing.body.code).toBe(5);
  });

  it('VotesByProposal and VotesByVoter are pages', async () => {
    for (const method of ['VotesByProposal', 'VotesByVoter']) {
      const row = queries.find(
        ({ path, rest }) => path === group(method) && rest?.status === 200 && ((rest.body.votes as object[]).length ?? 0) > 1,
      )!;
      const { body, status } = await get(stack.server, row.rest!.url, at(row.height));
      expect(status).toBe(200);
      expect(body).toEqual(toDocumented(row.rest!.body));
      expect(typeof body.pagination.total).toBe('number');
    }
  });
});

describe('ProposalsByGroupPolicy', () => {
  const path = `/cosmos/group/v1/proposals_by_group_policy/${council}`;
  const ids = (body: { proposals: { id: number }[] }) => body.proposals.map(({ id }) => id);

  it('is paged by pagination.key, and the last page has an empty nextKey', async () => {
    const whole = ids((await get(stack.server, path, board)).body);
    expect(whole).toHaveLength(12);
    const seen: number[] = [];
    let key = '';
    for (let pages = 0; pages < 4; pages += 1) {
      const query = `?pagination.limit=5${key && `&pagination.key=${encodeURIComponent(key)}`}`;
      const { body } = await get(stack.server, path + query, board);
      seen.push(...ids(body));
      key = body.pagination.nextKey;
      if (key === '') break;
    }
    expect(key).toBe('');
    expect(seen).toEqual(whole);
  });

  it('accepts pagination.offset, and returns the total only with pagination.countTotal', async () => {
    const whole = ids((await get(stack.server, path, board)).body);
    const page = await get(stack.server, `${path}?pagination.offset=5&pagination.limit=5&pagination.countTotal=true`, board);
    expect(ids(page.body)).toEqual(whole.slice(5, 10));
    expect(page.body.pagination.total).toBe(12);
    const uncounted = await get(stack.server, `${path}?pagination.offset=5&pagination.limit=5`, board);
    expect(uncounted.body.pagination.total).toBe(0);
    const snake = await get(stack.server, `${path}?pagination.offset=5&pagination.limit=5&pagination.count_total=true`, board);
    expect(snake.text).toBe(page.text);
  });

  it('implements pagination.reverse, which the chain ignores, on every page', async () => {
    const whole = ids((await get(stack.server, path, board)).body);
    const seen: number[] = [];
    let key = '';
    do {
      const query = `?pagination.reverse=true&pagination.limit=5${key && `&pagination.key=${encodeURIComponent(key)}`}`;
      const { body, status } = await get(stack.server, path + query, board);
      expect(status).toBe(200);
      seen.push(...ids(body));
      key = body.pagination.nextKey;
    } while (key !== '');
    expect(seen).toEqual(whole.toReversed());
    const page = await get(
      stack.server,
      `${path}?pagination.reverse=true&pagination.limit=3&pagination.offset=2&pagination.countTotal=true`,
      board,
    );
    expect(ids(page.body)).toEqual(whole.toReversed().slice(2, 5));
    expect(page.body.pagination.total).toBe(12);
  });

  it('rejects a key of the other direction', async () => {
    const back = await get(stack.server, `${path}?pagination.reverse=true&pagination.limit=5`, board);
    const forth = await get(stack.server, `${path}?pagination.limit=5`, board);
    const keyOf = (reply: { body: { pagination: { nextKey: string } } }) => encodeURIComponent(reply.body.pagination.nextKey);
    for (const query of [`pagination.key=${keyOf(back)}`, `pagination.reverse=true&pagination.key=${keyOf(forth)}`]) {
      const { status, body } = await get(stack.server, `${path}?${query}`, board);
      expect(status).toBe(400);
      expect(body.details[0].metadata.argument).toBe('pagination.key');
    }
  });
});

describe('lists that ignore page keys', () => {
  it('Groups continues after its nextKey', async () => {
    const first = await get(stack.server, '/cosmos/group/v1/groups?pagination.limit=2', at(566));
    const key = encodeURIComponent(first.body.pagination.nextKey);
    const second = await get(stack.server, `/cosmos/group/v1/groups?pagination.limit=2&pagination.key=${key}`, at(566));
    const ids = [first, second].flatMap(({ body }) => body.groups.map(({ id }: { id: number }) => id));
    expect(ids).toEqual([1, 2, 3, 4]);
    expect(second.body.pagination.nextKey).toBe('');
  });
});

describe('the attributes', () => {
  const attributed = queries.filter(
    ({ path, rest }) => path.startsWith('/provenance.attribute.v1.Query/') && rest?.status === 200,
  );

  it.each(['Scan', 'Attribute'])('%s returns account, attributes and pagination, and text values as text', async (method) => {
    const rows = attributed.filter(
      ({ path, rest }) => path.endsWith(`/${method}`) && (rest!.body.attributes as object[]).length > 0,
    );
    expect(rows.length).toBeGreaterThan(0);
    for (const { rest, height } of rows) {
      const { body } = await get(stack.server, rest!.url, at(height));
      expect(Object.keys(body)).toEqual(['account', 'attributes', 'pagination']);
      expect(body.account).toBe(rest!.body.account);
      const recorded = rest!.body.attributes as {
        value: string;
        attribute_type: string;
        name: string;
        expiration_date: string;
      }[];
      const listed = body.attributes as Record<string, string>[];
      expect(listed.map(({ name, attributeType, expirationDate }) => [name, attributeType, expirationDate])).toEqual(
        recorded.map((each) => [each.name, each.attribute_type, each.expiration_date]),
      );
      for (const [index, { attribute_type: type, value }] of recorded.entries()) {
        const isBytes = type === 'ATTRIBUTE_TYPE_BYTES' || type === 'ATTRIBUTE_TYPE_PROTO';
        expect(listed[index]?.value).toBe(isBytes ? value : Buffer.from(value, 'base64').toString());
      }
    }
  });

  it('rejects an invalid account, and a name or suffix of spaces, without a call of a node', async () => {
    const account = world.addr.alice;
    node.reset();
    for (const path of ['nonsense/kyc.pb', `${account}/%20`, `${account}/scan/%20`, 'tp1nope/scan/pb']) {
      const { status, body } = await get(stack.server, `/provenance/attribute/v1/attribute/${path}`, at(122));
      expect([path, status, body.code, body.details[0].reason]).toEqual([path, 400, 3, 'BAD_USER_INPUT']);
    }
    expect(node.calls.filter(({ method }) => method === 'abci_query')).toEqual([]);
  });
});

describe('every module in the documented dialect', () => {
  it("returns the node's data, in camelCase, with 64-bit integers as integers", async () => {
    const { body, text } = await get(stack.server, '/cosmos/bank/v1beta1/supply/by_denom?denom=goldcoin', at(566));
    expect(body.amount.denom).toBe('goldcoin');
    expect(typeof body.amount.amount).toBe('string');
    expect(text).not.toContain('_');
    const marker = await get(stack.server, '/provenance/marker/v1/detail/goldcoin', at(566));
    expect(marker.body.marker.type).toBe('/provenance.marker.v1.MarkerAccount');
  });

  it('an absent marker is 404, like any other absent object', async () => {
    const { status, body } = await get(stack.server, '/provenance/marker/v1/detail/nothing', at(566));
    expect([status, body.code]).toEqual([404, 5]);
    for (const path of ['/provenance/name/v1/resolve/no.such', '/cosmos/bank/v1beta1/denoms_metadata/nothing'])
      expect((await get(stack.server, path, at(566))).status).toBe(404);
  });
});

describe('headers', () => {
  const path = '/cosmos/group/v1/proposal/3';

  it('a response at a requested height is cacheable, with either name of the header', async () => {
    const { headers, text } = await get(stack.server, path, at(566));
    expect(headers.get('cache-control')).toBe('private, max-age=86400, immutable');
    // Without `Vary`, a cache would reuse it for other heights.
    expect(headers.get('vary')).toBe(
      'Authorization, Origin, x-cosmos-block-height, x-block-time, x-min-height, Accept-Encoding, accept-proof, accept-quorum, grpc-metadata-x-cosmos-block-height',
    );
    const ofNode = await get(stack.server, `/rest${path}`, at(566));
    expect(ofNode.headers.get('vary')).toBe(headers.get('vary'));
    const other = await get(stack.server, path, { 'Grpc-Metadata-X-Cosmos-Block-Height': '566' });
    expect(other.text).toBe(text);
    expect(other.headers.get('cache-control')).toBe('private, max-age=86400, immutable');
  });

  it('a response at the newest block is revalidated by its ETag', async () => {
    const { headers } = await get(stack.server, path);
    expect(headers.get('cache-control')).toBe('private, no-cache');
    expect(headers.get('x-cosmos-block-height')).toBe('566');
    const etag = headers.get('etag') ?? '';
    const again = await get(stack.server, path, { 'if-none-match': etag });
    expect([again.status, again.text]).toEqual([304, '']);
    const changed = await get(stack.server, path, { 'if-none-match': '"other"' });
    expect(changed.status).toBe(200);
  });

  it('a live response has no height, and is not cacheable', async () => {
    node.reset();
    for (let time = 1; time <= 2; time += 1) {
      const { body, headers } = await get(stack.server, '/cosmos/base/tendermint/v1beta1/syncing', at(102));
      expect(body).toEqual({ syncing: false });
      expect([headers.get('x-cosmos-block-height'), headers.get('cache-control')]).toEqual([null, 'no-store']);
      expect(node.calls.filter(({ path: asked }) => asked?.endsWith('/GetSyncing'))).toHaveLength(time);
    }
  });

  it('x-min-height sets a minimum, and must be a height', async () => {
    expect((await get(stack.server, path, { 'x-min-height': '566' })).status).toBe(200);
    const bad = await get(stack.server, path, { 'x-min-height': 'soon' });
    expect([bad.status, bad.body.details[0].metadata.argument]).toEqual([400, 'x-min-height']);
  });

  it('HEAD returns only headers; OPTIONS and 405 list the allowed methods; an unknown path is 404', async () => {
    const whole = await get(stack.server, path, at(566));
    const head = await get(stack.server, path, at(566), { method: 'HEAD' });
    expect([head.status, head.text, head.headers.get('etag')]).toEqual([200, '', whole.headers.get('etag')]);
    expect(head.headers.get('content-length')).toBe(String(Buffer.byteLength(whole.text)));
    const options = await get(stack.server, path, {}, { method: 'OPTIONS' });
    expect([options.status, options.headers.get('allow')]).toEqual([204, 'GET, HEAD, OPTIONS']);
    const post = await get(stack.server, path, { 'content-type': 'application/json' }, { method: 'POST', body: '{}' });
    expect([post.status, post.headers.get('allow'), post.body.code]).toEqual([405, 'GET, HEAD, OPTIONS', 12]);
    for (const nowhere of ['/cosmos/nothing', '/provenance/', '/cosmos/group/v1/proposal/', '/ibc/none']) {
      const { status, body } = await get(stack.server, nowhere);
      expect([status, body.code]).toEqual([404, 5]);
    }
  });
});
