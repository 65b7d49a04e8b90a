import DataLoader from 'dataloader';
import { afterEach, describe, expect, test } from 'vitest';
import { isChainError } from '../../../src/chain/base/errors.ts';
import { http } from '../../../src/chain/transports/http.ts';
import type { JsonValue } from '../../../src/chain/wire/json.ts';
import { fc, rounds } from '../../support/atRandom.ts';
import { createStubNode, errorReply, StubError } from '../stubNode.ts';
import { asIs, createHttpSetup, echo, failure } from './httpSetup.ts';

const { setUp, closeLater, close } = createHttpSetup();
afterEach(close);

describe('batches', () => {
  test('a single call is an object with params', async () => {
    const { node, transport } = await setUp();
    expect(await transport.call('echo', {}, { decode: asIs })).toEqual({});
    expect(node.requests).toHaveLength(1);
    expect(node.requests[0]).toMatchObject({ isBatch: false, path: '/', calls: [{ method: 'echo', params: {} }] });
  });

  test('calls of one tick share batches of at most ten, and each gets its own result', async () => {
    const { node, transport } = await setUp();
    const results = await Promise.all(Array.from({ length: 25 }, (_, n) => echo(transport, n)));
    expect(results).toEqual(Array.from({ length: 25 }, (_, n) => ({ n: String(n) })));
    // The sizes are even: a node runs the calls of a batch one after another.
    expect(node.requests.map((request) => request.calls.length).toSorted()).toEqual([7, 9, 9]);
  });

  test('calls of one tick do not wait for the slower batch of another', async () => {
    const { node, transport } = await setUp();
    let releaseSlow = (): void => undefined;
    node.misbehave = ({ calls }, response) => {
      if (!calls.some(({ params }) => JSON.stringify(params) === '{"n":"0"}')) return false;
      const replies = calls.map(({ id, params }) => ({ jsonrpc: '2.0', id, result: params }));
      releaseSlow = () => response.end(JSON.stringify(replies));
      return true;
    };
    const all = Array.from({ length: 12 }, (_, n) => echo(transport, n));
    expect(await Promise.all(all.slice(6))).toHaveLength(6);
    releaseSlow();
    expect(await Promise.all(all)).toHaveLength(12);
  });

  test('calls of several DataLoaders in one tick share batches, even if they read a store first', async () => {
    const { node, transport } = await setUp();
    const loader = (steps: number): DataLoader<number, JsonValue> =>
      new DataLoader(async (keys) => {
        for (let step = 0; step < steps; step++) await Promise.resolve();
        return Promise.all(keys.map((key) => echo(transport, key)));
      });
    const [votes, tallies, members] = [loader(0), loader(3), loader(9)];
    await Promise.all([votes.load(1), tallies.load(2), members.load(3), votes.load(4)]);
    expect(node.requests.map((request) => request.calls.length)).toEqual([4]);
  });

  test('replies are matched by id, in any order', async () => {
    const { node, transport } = await setUp();
    node.misbehave = ({ calls }, response) => {
      response.end(JSON.stringify(calls.map(({ id, params }) => ({ jsonrpc: '2.0', id, result: params })).reverse()));
      return true;
    };
    expect(await Promise.all([1, 2, 3].map((n) => echo(transport, n)))).toEqual([{ n: '1' }, { n: '2' }, { n: '3' }]);
  });

  test('a write is sent alone', async () => {
    const { node, transport } = await setUp();
    node.methods.broadcast_tx_sync = () => ({ code: 0 });
    await Promise.all([
      echo(transport, 1),
      transport.call('broadcast_tx_sync', { tx: '' }, { decode: asIs }),
      echo(transport, 2),
    ]);
    expect(node.requests.map((request) => request.calls.map((call) => call.method)).sort()).toEqual([
      ['broadcast_tx_sync'],
      ['echo', 'echo'],
    ]);
  });

  test('one failing call fails alone', async () => {
    const { node, transport } = await setUp();
    node.methods.no = () => {
      throw new StubError('height 7 must be less than or equal to the current blockchain height 5');
    };
    const [good, bad] = [echo(transport, 1), failure(transport.call('no', {}, { decode: asIs }))];
    expect(await good).toEqual({ n: '1' });
    expect(await bad).toMatchObject({ code: 'HEIGHT_NOT_YET_AVAILABLE', facts: { height: 7n, latestHeight: 5n } });
  });

  test('a decoder that throws fails only its own call', async () => {
    const { transport } = await setUp();
    const bad = transport.call(
      'echo',
      {},
      {
        decode: () => {
          throw new Error('odd');
        },
      },
    );
    const good = echo(transport, 1);
    expect(await failure(bad)).toMatchObject({ code: 'NODE_INVALID_RESPONSE' });
    expect(await good).toEqual({ n: '1' });
  });

  test('after a node with a lower limit rejects a batch, its calls are sent in smaller batches from then on', async () => {
    const { node, transport } = await setUp();
    node.misbehave = ({ calls }, response) => {
      if (calls.length <= 3) return false;
      response.end(
        JSON.stringify(errorReply(undefined, -32600, 'batch request exceeds maximum (3) allowed number of requests')),
      );
      return true;
    };
    await Promise.all([1, 2, 3, 4, 5, 6].map((n) => echo(transport, n)));
    expect(node.requests.map((request) => request.calls.length)).toEqual([6, 3, 3]);
    await Promise.all([1, 2, 3, 4, 5, 6].map((n) => echo(transport, n)));
    expect(node.requests.map((request) => request.calls.length)).toEqual([6, 3, 3, 3, 3]);
  });
});

describe('unusable responses', () => {
  test.each([
    ['HTML with 502', 502, '<html>Bad Gateway</html>', 'NODE_INVALID_RESPONSE', { status: 502 }],
    ['401', 401, 'no', 'NODE_INVALID_RESPONSE', { status: 401 }],
    ['200 with HTML', 200, '<html></html>', 'NODE_INVALID_RESPONSE', { status: 200 }],
    ['200 and empty', 200, '', 'NODE_INVALID_RESPONSE', { status: 200 }],
    ['truncated JSON', 200, '{"jsonrpc":"2.0","id":1,"resu', 'NODE_INVALID_RESPONSE', { status: 200 }],
    ['a byte order mark', 200, '\uFEFF{"jsonrpc":"2.0","id":1,"result":{}}', 'NODE_INVALID_RESPONSE', { status: 200 }],
    ['another id', 200, '{"jsonrpc":"2.0","id":99,"result":{}}', 'NODE_INVALID_RESPONSE', {}],
    [
      'result and error',
      200,
      '{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":-32603,"message":"x"}}',
      'NODE_INVALID_RESPONSE',
      {},
    ],
    ['neither result nor error', 200, '{"jsonrpc":"2.0","id":1}', 'NODE_INVALID_RESPONSE', {}],
    ['two replies with the same id', 200, '[{"id":1,"result":1},{"id":1,"result":2}]', 'NODE_INVALID_RESPONSE', {}],
    [
      'a panic',
      500,
      '{"jsonrpc":"2.0","id":-1,"error":{"code":-32603,"message":"Internal error","data":"reflect"}}',
      'RPC_ERROR',
      { rpcCode: -32603, data: 'reflect' },
    ],
    [
      'an error without an id',
      400,
      '{"jsonrpc":"2.0","error":{"code":-32600,"message":"Invalid Request","data":"body"}}',
      'RPC_ERROR',
      { rpcCode: -32600, data: 'body' },
    ],
    ['503', 503, 'later', 'NODE_UNREACHABLE', { sent: true }],
  ])('an unusable response fails: %s', async (_name, status, body, code, facts) => {
    const { node, transport } = await setUp();
    node.misbehave = (_request, response) => {
      response.writeHead(status, { 'content-type': 'text/plain' }).end(body);
      return true;
    };
    expect(await failure(echo(transport, 1))).toMatchObject({ code, facts });
    expect(node.requests).toHaveLength(1);
  });

  test('an error without an id settles every call of its batch', async () => {
    const { node, transport } = await setUp();
    node.misbehave = (_request, response) => {
      response.writeHead(500).end(JSON.stringify(errorReply(-1, -32603, 'reflect: Call with too few input arguments')));
      return true;
    };
    const codes = await Promise.all([1, 2, 3].map((n) => failure(echo(transport, n))));
    expect(codes.map(({ code }) => code)).toEqual(['RPC_ERROR', 'RPC_ERROR', 'RPC_ERROR']);
    expect(node.requests).toHaveLength(1);
  });

  test('a missing or duplicate reply fails only its own call', async () => {
    const { node, transport } = await setUp();
    node.misbehave = ({ calls }, response) => {
      const [a, b, c] = calls.map(({ id, params }) => ({ jsonrpc: '2.0', id, result: params }));
      response.end(JSON.stringify([a, b, b, { ...c, id: 12345 }]));
      return true;
    };
    const [a, b, c] = [echo(transport, 1), failure(echo(transport, 2)), failure(echo(transport, 3))];
    expect(await a).toEqual({ n: '1' });
    expect([(await b).code, (await c).code]).toEqual(['NODE_INVALID_RESPONSE', 'NODE_INVALID_RESPONSE']);
  });

  test('one oversized reply fails alone: the other calls of its batch are sent again', async () => {
    const { node, transport } = await setUp({}, { maxAnswerBytes: 10_000 });
    node.methods.large = () => 'x'.repeat(20_000);
    const [a, large, b] = [echo(transport, 1), failure(transport.call('large', {}, { decode: asIs })), echo(transport, 2)];
    expect([await a, await b]).toEqual([{ n: '1' }, { n: '2' }]);
    expect(await large).toMatchObject({ code: 'NODE_INVALID_RESPONSE', facts: { status: 200 } });
    expect(node.requests.map((request) => request.calls.length).sort()).toEqual([1, 1, 1, 3]);
  });

  test('calls of a truncated batch are sent again one by one, once', async () => {
    const { node, transport } = await setUp();
    node.misbehave = ({ calls }, response) => {
      if (calls.every((call) => call.params.n !== '2')) return false;
      response.writeHead(200, { 'content-length': '1000' });
      response.write('[{"jsonrpc":', () => response.destroy());
      return true;
    };
    const [a, cut, b] = [echo(transport, 1), failure(echo(transport, 2)), echo(transport, 3)];
    expect([await a, await b]).toEqual([{ n: '1' }, { n: '3' }]);
    expect(await cut).toMatchObject({ code: 'NODE_INVALID_RESPONSE', facts: { status: 200 } });
    expect(node.requests).toHaveLength(4);
  });

  test('a call that was aborted meanwhile is not sent again', async () => {
    const { node, transport } = await setUp();
    const controller = new AbortController();
    node.misbehave = ({ calls }, response) => {
      if (calls.length === 1) return false;
      controller.abort(new Error('enough'));
      response.writeHead(200, { 'content-length': '1000' });
      response.write('[', () => response.destroy());
      return true;
    };
    const given = transport.call('echo', {}, { decode: asIs, signal: controller.signal });
    const others = [echo(transport, 1), echo(transport, 2)];
    await expect(given).rejects.toThrow('enough');
    expect(await Promise.all(others)).toEqual([{ n: '1' }, { n: '2' }]);
    expect(node.requests.map((request) => request.calls.length)).toEqual([3, 1, 1]);
  });

  test('integers that a number cannot hold stay exact', async () => {
    const { node, transport } = await setUp();
    node.misbehave = ({ calls }, response) => {
      response.end(`{"jsonrpc":"2.0","id":${calls[0]!.id},"result":{"id":9223372036854775807}}`);
      return true;
    };
    expect(await echo(transport, 1)).toEqual({ id: '9223372036854775807' });
  });
});

describe('addresses', () => {
  test('credentials and path are sent and never shown', async () => {
    const node = await createStubNode();
    const transport = http(`http://user:p%40ss@127.0.0.1:${node.port}/key/rpc?a=b`);
    closeLater(node, transport);
    await echo(transport, 1);
    expect(node.requests[0]!.path).toBe('/key/rpc?a=b');
    expect(node.requests[0]!.headers.authorization).toBe(`Basic ${Buffer.from('user:p@ss').toString('base64')}`);
    await node.close();
    const error = await transport.call('echo', {}, { decode: asIs }).catch((reason: unknown) => reason);
    expect(`${String(error)} ${JSON.stringify(error)} ${String((error as Error).cause)}`).not.toMatch(/p@ss|p%40ss|user|rpc/);
  });

  test.each(['nonsense p@ss', 'ftp://user:p@ss@host'])('%s is rejected, and the error does not repeat it', (url) => {
    expect(() => http(url)).toThrow(TypeError);
    expect(() => http(url)).not.toThrow(/p@ss/);
  });
});

test('whatever happens to batches, each call settles exactly once and with its own result', async () => {
  const { node, transport } = await setUp({}, { batchSize: 4, timeout: 2_000 });
  const faults = ['none', 'none', 'reverse', 'drop', 'double', 'html', 'cut', 'whole', 'refuse', 'break'] as const;
  let script: (typeof faults)[number][] = [];
  node.misbehave = ({ calls }, response) => {
    const fault = script.shift() ?? 'none';
    const replies = calls.map(({ id, params }) => ({ jsonrpc: '2.0', id, result: params }));
    if (fault === 'none') return false;
    if (fault === 'reverse') response.end(JSON.stringify(replies.reverse()));
    if (fault === 'drop') response.end(JSON.stringify(replies.slice(1)));
    if (fault === 'double') response.end(JSON.stringify([...replies, replies[0]]));
    if (fault === 'html') response.writeHead(502).end('<html>');
    if (fault === 'whole') response.writeHead(500).end(JSON.stringify(errorReply(-1, -32603, 'broken')));
    if (fault === 'refuse')
      response.end(
        JSON.stringify(errorReply(undefined, -32600, 'batch request exceeds maximum (2) allowed number of requests')),
      );
    if (fault === 'break') response.destroy();
    if (fault === 'cut') response.writeHead(200, { 'content-length': '999' }).write('[', () => response.destroy());
    return true;
  };
  const wave = fc.array(fc.record({ n: fc.integer({ min: 0, max: 999 }), abort: fc.boolean() }), {
    minLength: 1,
    maxLength: 9,
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(wave, { minLength: 1, maxLength: 4 }),
      fc.array(fc.constantFrom(...faults), { maxLength: 8 }),
      async (waves, given) => {
        script = [...given];
        const settled: number[] = [];
        const all: Promise<void>[] = [];
        for (const calls of waves) {
          for (const { n, abort } of calls) {
            const controller = new AbortController();
            const index = settled.push(0) - 1;
            const call = transport.call('echo', { n: String(n) }, { decode: asIs, signal: controller.signal });
            all.push(
              call.then(
                (value) => {
                  settled[index]! += 1;
                  expect(value).toEqual({ n: String(n) });
                },
                (error) => {
                  settled[index]! += 1;
                  expect(isChainError(error) || (abort && error === 'given up')).toBe(true);
                },
              ),
            );
            if (abort) setImmediate(() => controller.abort('given up'));
          }
          await new Promise((resolve) => setImmediate(resolve));
        }
        await Promise.all(all);
        expect(settled.every((times) => times === 1)).toBe(true);
      },
    ),
    { numRuns: rounds(60) },
  );
});
