import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../src/chain/wire/json.ts';
import { send } from '../../../support/wire.ts';
import { type RpcChain, startRpcChain } from '../rpcChain.ts';

let rpc: RpcChain;

beforeAll(async () => {
  rpc = await startRpcChain();
  while (rpc.chain.devnet.height < 6n) await rpc.commit();
});

afterAll(() => rpc.close());
afterEach(() => expect(rpc.stack.masked).toEqual([]));

const heightOf = ({ result }: { readonly result?: JsonObject }): unknown =>
  ((result?.block ?? {}) as { header?: JsonObject }).header?.height;

describe('the envelope of the documented dialect', () => {
  it('jsonrpc, id, result and error, which is empty on success', async () => {
    const good = await rpc.call('/', 'health');
    expect(good.json).toEqual({ jsonrpc: '2.0', id: 1, result: {}, error: '' });
    const bad = await rpc.call('/', 'nope');
    expect(bad.json).toEqual({ jsonrpc: '2.0', id: 1, error: 'Method not found' });
  });

  it('URI over HTTP: 200 on success, 500 on failure, 4xx for errors of the client', async () => {
    const answers = ['/health', '/block?height=99', '/block?height=x', '/subscribe?query="a EXISTS"', '/dial_seeds'];
    const responses = await Promise.all(answers.map((target) => rpc.get(target)));
    expect(responses.map(({ status, json }) => [status, json.error])).toEqual([
      [200, ''],
      [500, 'height 99 must be less than or equal to the current blockchain height 6'],
      [400, '`height` must be an integer from -9223372036854775808 to 9223372036854775807, in decimal'],
      [404, 'Method not found'],
      [404, 'Method not found'],
    ]);
  });

  it('only GET, HEAD and POST', async () => {
    for (const [target, shape] of [
      ['/block', { jsonrpc: '2.0', error: 'Use GET or POST.' }],
      ['/comet/block', { jsonrpc: '2.0', error: { code: -32600, data: 'Use GET or POST.' } }],
    ] as const) {
      const { status, headers, body } = await send(`${rpc.url}${target}`, { method: 'PUT' });
      expect([status, headers.allow, JSON.parse(body)]).toMatchObject([405, 'GET, HEAD, POST', shape]);
    }
  });
});

describe('the arguments of the documented dialect', () => {
  const params: readonly (readonly [string, unknown])[] = [
    ['an array of strings', ['3']],
    ['an array with quotes of its own', ['"3"']],
    ['an object', { height: '3' }],
    ['integers', { height: 3 }],
    ['integers in an array', [3]],
  ];
  it.each(params)('reads the params %s', async (_, given) => {
    expect(heightOf((await rpc.call('/', 'block', given)).json)).toBe('3');
  });

  it.each([
    ['none', undefined],
    ['null', null],
    ['an empty array', []],
    ['an empty object', {}],
    ['height 0, the default: the latest', { height: 0 }],
    ['height "0"', ['0']],
    ['height empty', ['']],
    ['height null', [null]],
  ])('refuses the params %s', async (_, given) => {
    expect(heightOf((await rpc.call('/', 'block', given)).json)).toBe('6');
  });

  it('a batch: a call without params reads the latest block', async () => {
    const { body } = await rpc.post('/', '[{"id":1,"method":"health"},{"id":2,"method":"block"}]');
    const [health, block] = JSON.parse(body) as JsonObject[];
    expect([health, heightOf(block!), block!.error]).toEqual([{ jsonrpc: '2.0', id: 1, result: {}, error: '' }, '6', '']);
  });

  it('strings and bytes are quoted or 0x and hexadecimal in a URI; in JSON, they can also be plain', async () => {
    const path = '/cosmos.bank.v1beta1.Query/TotalSupply';
    const asked = [
      rpc.get(`/abci_query?path="${path}"&data=0x`),
      rpc.get(`/abci_query?path=0x${Buffer.from(path).toString('hex')}&data=""`),
      rpc.call('/', 'abci_query', [path, '', '6', 'false']),
      rpc.call('/', 'abci_query', [`"${path}"`, '0x', 0, false]),
      rpc.call('/', 'abci_query', { path, data: '' }),
    ];
    const values = (await Promise.all(asked)).map(({ json }) => json.result?.response as JsonObject);
    expect(values[0]).toMatchObject({ code: '0', height: '6', value: expect.stringMatching(/^[0-9A-F]{20,}$/) });
    for (const value of values) expect(value).toEqual(values[0]);
  });

  it.each([
    ['9223372036854775808', 'over 64 bits'],
    ['9007199254740993.0', 'a fraction'],
    ['1e3', 'an exponent'],
    ['1.5', 'a fraction'],
    ['"+5"', 'a sign'],
    ['" 5"', 'a space'],
    ['"0x10"', 'hexadecimal'],
    ['"05"', 'a zero in front'],
    ['true', 'a boolean'],
    ['[5]', 'a list'],
  ])('T29: integers are exact: %s is %s', async (height) => {
    const { status, json } = await rpc.post('/', `{"id":1,"method":"block","params":{"height":${height}}}`);
    // 1e3 is the integer 1000 in JSON.
    if (height === '1e3') expect(json.error).toMatch(/^height 1000 must be less/);
    else expect([status, json.error]).toEqual([400, expect.stringMatching(/^`height` must be an integer from -92233720/)]);
  });

  it('T29: large integers are returned exactly', async () => {
    for (const [height, shown] of [
      ['9007199254740993', '9007199254740993'],
      ['"9223372036854775807"', '9223372036854775807'],
    ]) {
      const { json } = await rpc.post('/', `{"id":1,"method":"block","params":[${height}]}`);
      expect(json.error).toBe(`height ${shown} must be less than or equal to the current blockchain height 6`);
    }
  });

  it.each([
    ['0xZZ', 'no hex'],
    ['0x0', 'half a byte'],
    ['YWJ', 'base64 cut short'],
    ['_-__', 'base64url'],
    ['YW Jj', 'a space'],
  ])('T28: tx %s (%s) is rejected with the name of the argument', async (tx) => {
    const { status, json } = await rpc.call('/', 'broadcast_tx_sync', { tx });
    expect([status, json.error]).toEqual([400, expect.stringMatching(/^`tx` must be `0x` and hexadecimal digits, base64,/)]);
    expect(rpc.chain.node.counters.byMethod.broadcast_tx_sync ?? 0).toBe(0);
  });

  it('T28: every encoding of the same bytes is accepted', async () => {
    const bytes = Buffer.from('abc');
    const hash = 'BA7816BF8F01CFEA414140DE5DAE2223B00361A396177A9CB410FF61F20015AD';
    const answers = await Promise.all([
      rpc.call('/', 'broadcast_tx_async', { tx: bytes.toString('base64') }),
      rpc.call('/', 'broadcast_tx_async', { tx: `0x${bytes.toString('hex')}` }),
      rpc.call('/', 'broadcast_tx_async', ['"abc"']),
      rpc.get(`/broadcast_tx_async?tx=0x${bytes.toString('hex')}`),
      rpc.get('/broadcast_tx_async?tx="abc"'),
    ]);
    expect(answers.map(({ json }) => json.result?.hash)).toEqual(answers.map(() => hash));
    const bare = await rpc.get('/broadcast_tx_async?tx=abc');
    expect([bare.status, bare.json.error]).toEqual([400, '`tx` must be `0x` and hexadecimal digits, or text in double quotes']);
  });

  it.each([
    ['/tx', 'hash'],
    ['/tx_search', 'query'],
    ['/abci_query?data=0x', 'path'],
    ['/abci_query?path="/app/version"', 'data'],
    ['/broadcast_tx_sync', 'tx'],
    ['/broadcast_tx_async', 'tx'],
    ['/broadcast_tx_commit', 'tx'],
    ['/check_tx', 'tx'],
    ['/broadcast_evidence', 'evidence'],
  ])('%s: %s is required', async (target, name) => {
    const { status, json } = await rpc.get(target);
    expect([status, json.error]).toEqual([400, `\`${name}\` is required`]);
  });

  it.each([
    ['genesis_chunked', { chunk: -1 }, '`chunk` must be an integer from 0 to 18446744073709551615, in decimal'],
    ['genesis_chunked', { chunk: true }, '`chunk` must be an integer from 0 to 18446744073709551615, in decimal'],
    ['abci_query', { path: '/app/version', data: '', prove: 1 }, '`prove` must be `true` or `false`'],
    ['abci_query', { path: 1, data: '' }, '`path` must be text'],
  ])('%s %j is rejected with what the argument must be', async (method, params, error) => {
    const before = rpc.chain.node.counters.byMethod[method];
    const answer = await rpc.call('/', method, params);
    expect([answer.status, answer.json.error]).toEqual([400, error]);
    expect(rpc.chain.node.counters.byMethod[method]).toBe(before);
  });

  it('more arguments than a method has are rejected', async () => {
    const { status, json } = await rpc.call('/', 'block', ['1', '2']);
    expect([status, json.error]).toEqual([400, '`params` must have at most 1 (height), and has 2']);
    expect((await rpc.call('/', 'block', 5)).json.error).toBe('`params` must be an array or an object');
  });
});

describe('the application methods of the documented dialect', () => {
  it('application info: data, version, app_version, last_block_height, last_block_app_hash in hexadecimal', async () => {
    const { status, json, headers } = await rpc.get('/abci_info');
    const { response } = json.result as { response: JsonObject };
    expect(status).toBe(200);
    expect(Object.keys(response)).toEqual(['data', 'version', 'app_version', 'last_block_height', 'last_block_app_hash']);
    expect(response).toMatchObject({
      data: 'provenanced',
      app_version: expect.stringMatching(/^\d+$/),
      last_block_height: '6',
    });
    expect(response.last_block_app_hash).toMatch(/^[0-9A-F]{64}$/);
    const vary = 'Authorization, Origin, x-cosmos-block-height, x-block-time, x-min-height';
    expect([headers['cache-control'], headers.vary]).toEqual(['private, max-age=86400', vary]);
    const comet = (await rpc.get('/comet/abci_info')).json.result as { response: JsonObject };
    expect(Buffer.from(String(comet.response.last_block_app_hash), 'base64').toString('hex').toUpperCase()).toBe(
      response.last_block_app_hash,
    );
  });

  it('application query: path, data, height (0 is the latest), prove; log, height, proof, value, key, index, code', async () => {
    const query = '/abci_query?path="/store/bank/key"&data=0x00';
    const plain = (await rpc.get(query)).json.result?.response as JsonObject;
    expect(plain).toEqual({
      log: '',
      height: '6',
      proof: '',
      value: '',
      key: '00',
      index: '0',
      code: '0',
      info: '',
      codespace: '',
    });
    expect((await rpc.get(`${query}&height=0&prove=false`)).json.result?.response).toEqual(plain);
    expect((await rpc.get(`${query}&height=3`)).json.result?.response).toEqual({ ...plain, height: '3' });
    const early = await rpc.get(`${query}&height=1&prove=true`);
    const log = expect.stringMatching(/^cannot query with proof when height <= 1; please provide a valid height/);
    expect([early.status, early.json.result?.response]).toEqual([200, expect.objectContaining({ log, code: '18' })]);
    const yes = await rpc.get(`${query}&prove=yes`);
    expect([yes.status, yes.json.error]).toEqual([400, '`prove` must be `true` or `false`']);
  });

  it("T30: a negative or future height is a code in the result with the node's text", async () => {
    const query = '/abci_query?path="/cosmos.bank.v1beta1.Query/TotalSupply"&data=0x';
    const negative = (await rpc.get(`${query}&height=-1`)).json.result?.response;
    const log = expect.stringMatching(/^cannot query with height < 0; please provide a valid height/);
    expect(negative).toEqual(expect.objectContaining({ code: '18', log }));
    // No height was read, so the response has no height.
    for (const height of ['-1', '99']) {
      for (const path of ['/cosmos.bank.v1beta1.Query/TotalSupply', '/store/bank/key', '/app/version']) {
        const { status, headers } = await rpc.get(`/abci_query?path="${path}"&data=0x00&height=${height}`);
        expect([status, headers['x-cosmos-block-height']]).toEqual([200, undefined]);
      }
    }
  });

  it.each(['../', '/p2p/filter/addr/1.2.3.4', '/app/simulate', '/a\r\nb', '/x'.repeat(50_000), '/ünï.Query/X', ''])(
    'T23: the path %.30s is not asked',
    async (path) => {
      const before = rpc.chain.node.counters.byMethod.abci_query;
      const { status, json } = await rpc.call('/', 'abci_query', { path, data: '' });
      expect([status, json.error]).toEqual([400, expect.stringMatching(/^`path` must be `\/package\.Service\/Method`/)]);
      expect(rpc.chain.node.counters.byMethod.abci_query).toBe(before);
    },
  );
});

describe('Cache-Control at the root (docs/heights.md, "HTTP caching")', () => {
  it.each([
    ['/block?height=3', true],
    ['/block_results?height=3', true],
    ['/header?height=3', true],
    ['/commit?height=3', true],
    ['/validators?height=3', true],
    ['/consensus_params?height=3', true],
    ['/blockchain?minHeight=1&maxHeight=3', true],
    ['/genesis_chunked?chunk=0', true],
    ['/abci_info', true],
    ['/block', false],
    ['/block?height=0', false],
    ['/commit?height=6', false],
    ['/commit', false],
    ['/blockchain', false],
    ['/validators', false],
    ['/block?height=99', false],
    ['/tx?hash=0xAB', false],
    ['/block_by_hash?hash=0xAB', false],
    ['/status', false],
    ['/health', false],
    ['/num_unconfirmed_txs', false],
    ['/abci_query?path="/app/version"&data=0x', false],
  ])('Cache-Control of %s: %s', async (target, isKept) => {
    const { headers } = await rpc.get(target);
    expect(headers['cache-control']).toBe(isKept ? 'private, max-age=86400' : 'no-store');
    expect(headers.vary).toContain('Authorization');
  });
});

describe('x-cosmos-block-height at the root', () => {
  const at = (height: string) => ({ 'x-cosmos-block-height': height });

  it('pins calls without a height, and the response contains it', async () => {
    const pinned = await rpc.get('/block', at('3'));
    expect([heightOf(pinned.json), pinned.headers['x-cosmos-block-height']]).toEqual(['3', '3']);
    const named = await rpc.get('/block?height=4', at('3'));
    expect([heightOf(named.json), named.headers['x-cosmos-block-height']]).toEqual(['4', '4']);
    const query = await rpc.call('/', 'abci_query', { path: '/store/bank/key', data: '00' }, at('2'));
    expect(query.json.result?.response).toMatchObject({ height: '2' });
    expect((await rpc.get('/validators', at('3'))).json.result).toMatchObject({ block_height: '3' });
    expect((await rpc.get('/blockchain', at('3'))).json.result).toMatchObject({ last_height: '3' });
    // A cacheable response can depend on the header, so `Vary` contains it.
    const range = await rpc.get('/blockchain?minHeight=1&maxHeight=2', at('3'));
    expect(range.headers).toMatchObject({
      'cache-control': 'private, max-age=86400',
      vary: expect.stringContaining('x-cosmos-block-height'),
    });
    expect((await rpc.get('/block')).headers['x-cosmos-block-height']).toBe('6');
    expect((await rpc.get('/net_info')).headers['x-cosmos-block-height']).toBeUndefined();
  });

  it('rejects an invalid or future height', async () => {
    const none = await rpc.get('/block', at('x'));
    expect([none.status, none.json.error]).toEqual([400, '`x-cosmos-block-height` must be a height in decimal.']);
    const future = await rpc.get('/block', at('99'));
    expect([future.status, future.json.error]).toEqual([
      400,
      'height 99 must be less than or equal to the current blockchain height 6',
    ]);
  });

  it('x-min-height waits for a block', async () => {
    const next = `${rpc.chain.devnet.height + 1n}`;
    const waiting = rpc.get('/block', { 'x-min-height': next });
    await rpc.commit();
    expect(heightOf((await waiting).json)).toBe(next);
  });

  it('has no effect at /comet, as on a node', async () => {
    const { json, headers } = await rpc.get('/comet/block', at('3'));
    expect([heightOf(json), headers['x-cosmos-block-height']]).toEqual([`${rpc.chain.devnet.height}`, undefined]);
  });
});
