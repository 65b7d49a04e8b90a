import { once } from 'node:events';
import { createServer } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { http } from '../../../src/chain/transports/http.ts';
import { asIs, createHttpSetup, echo, failure } from './httpSetup.ts';

const { setUp, closeLater, close } = createHttpSetup();
afterEach(close);

describe('nodes that do not respond', () => {
  test('refused connection', async () => {
    const { node, transport } = await setUp();
    await node.close();
    expect(await failure(echo(transport, 1))).toMatchObject({ code: 'NODE_UNREACHABLE', facts: { sent: false } });
  });

  test('a connection that breaks before the response', async () => {
    const { node, transport } = await setUp();
    node.misbehave = (_request, response) => {
      response.destroy();
      return true;
    };
    expect(await failure(echo(transport, 1))).toMatchObject({ code: 'NODE_UNREACHABLE', facts: { sent: true } });
  });

  test('no response, or one byte at a time: the deadline ends both', async () => {
    const { node, transport } = await setUp({}, { timeout: 150 });
    node.misbehave = () => true;
    // The milliseconds are those that were left when the call was sent.
    const late = { code: 'NODE_TIMEOUT', facts: { milliseconds: expect.toSatisfy((ms: number) => ms > 0 && ms <= 150) } };
    expect(await failure(echo(transport, 1))).toMatchObject(late);
    node.misbehave = (_request, response) => {
      const drip = setInterval(() => response.write(' '), 20);
      response.on('close', () => clearInterval(drip));
      return true;
    };
    expect(await failure(echo(transport, 1))).toMatchObject(late);
  });

  test('a server that does not speak HTTP', async () => {
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => socket.end('220 smtp ready\r\n'));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const transport = http(`http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`);
    closeLater({ close: () => new Promise((resolve) => server.close(() => resolve())) }, transport);
    expect((await failure(echo(transport, 1))).code).toBe('NODE_INVALID_RESPONSE');
  });

  test('429 with Retry-After: calls fail at once for that time', async () => {
    const { node, transport } = await setUp();
    node.misbehave = (_request, response) => {
      response.writeHead(429, { 'retry-after': '7' }).end('slow down');
      return true;
    };
    expect(await failure(echo(transport, 1))).toMatchObject({
      code: 'NODE_UNREACHABLE',
      facts: { sent: false, retryAfter: 7000 },
    });
    const second = await failure(echo(transport, 1));
    expect(second).toMatchObject({ code: 'NODE_UNREACHABLE', facts: { sent: false } });
    expect((second.facts as { retryAfter: number }).retryAfter).toBeGreaterThan(6000);
    expect(node.requests).toHaveLength(1);
  });
});

describe('abort and close', () => {
  test('aborting rejects the call at once; the request ends when all its calls are aborted', async () => {
    const { node, transport } = await setUp({}, { timeout: 600_000 });
    const gone = new Promise<void>((resolve) => {
      node.misbehave = (_request, response) => {
        response.on('close', resolve);
        arrived();
        return true;
      };
    });
    let arrived: () => void = () => undefined;
    const arrival = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    const [first, second] = [new AbortController(), new AbortController()];
    const calls = [first, second].map(({ signal }) => transport.call('echo', {}, { decode: asIs, signal }));
    const ends = Promise.allSettled(calls);
    await arrival;
    first.abort(new Error('enough'));
    await expect(calls[0]).rejects.toThrow('enough');
    expect(node.connections.size).toBe(1);
    second.abort(new Error('enough too'));
    await expect(calls[1]).rejects.toThrow('enough too');
    await gone;
    await ends;
  });

  test('one signal serves any number of calls without a warning', async () => {
    const { transport } = await setUp();
    const warnings: Error[] = [];
    const warn = (warning: Error): number => warnings.push(warning);
    process.on('warning', warn);
    const { signal } = new AbortController();
    await Promise.all(Array.from({ length: 20 }, () => transport.call('echo', {}, { decode: asIs, signal })));
    process.off('warning', warn);
    expect(warnings).toEqual([]);
  });

  test('a call aborted in its own tick is never sent', async () => {
    const { node, transport } = await setUp();
    const controller = new AbortController();
    const given = transport.call('echo', {}, { decode: asIs, signal: controller.signal });
    controller.abort(new Error('no'));
    await expect(given).rejects.toThrow('no');
    await expect(transport.call('echo', {}, { decode: asIs, signal: controller.signal })).rejects.toThrow('no');
    await echo(transport, 1);
    expect(node.requests.flatMap((request) => request.calls)).toHaveLength(1);
  });

  test('a call that is aborted while it waits for a connection is never sent', async () => {
    const { node, transport } = await setUp({}, { connections: 1 });
    let answer: () => void = () => undefined;
    const arrival = new Promise<void>((resolve) => {
      node.misbehave = ({ calls }, response) => {
        node.misbehave = undefined;
        answer = () => response.end(JSON.stringify({ jsonrpc: '2.0', id: calls[0]!.id, result: 'late' }));
        resolve();
        return true;
      };
    });
    const underWay = echo(transport, 1);
    await arrival;
    const controller = new AbortController();
    const queued = transport.call('broadcast_tx_sync', { tx: '' }, { decode: asIs, signal: controller.signal });
    const refused = expect(queued).rejects.toThrow('enough');
    // The call is passed to the connection after its tick.
    await new Promise(setImmediate);
    controller.abort(new Error('enough'));
    await refused;
    answer();
    expect(await underWay).toBe('late');
    await echo(transport, 2);
    expect(node.requests.flatMap(({ calls }) => calls).map(({ method }) => method)).toEqual(['echo', 'echo']);
  });

  test('close rejects pending, queued and later calls', async () => {
    const { node, transport } = await setUp();
    const arrival = new Promise<void>((resolve) => {
      node.misbehave = () => {
        resolve();
        return true;
      };
    });
    const underWay = failure(echo(transport, 1));
    await arrival;
    const queued = failure(echo(transport, 2));
    await transport.close();
    expect((await underWay).code).toBe('NODE_UNREACHABLE');
    expect((await queued).code).toBe('NODE_UNREACHABLE');
    expect((await failure(echo(transport, 3))).code).toBe('NODE_UNREACHABLE');
  });
});
