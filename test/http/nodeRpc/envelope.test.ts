import { afterAll, describe, expect, it } from 'vitest';
import { createReplayNode } from '../../replay/replayNode.ts';
import { startStack } from '../../support/stack.ts';
import { send } from '../../support/wire.ts';

const node = await createReplayNode({ head: 1105n });
const stack = await startStack([node.url]);
const { url } = stack.server;
afterAll(async () => {
  await stack.close();
  await node.close();
});

const post = (path: string, body: unknown) =>
  send(`${url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });

describe('the envelope of both dialects', () => {
  it('jsonrpc, id and result, and an empty error at the root', async () => {
    const request = { jsonrpc: '2.0', id: 7, method: 'block', params: { height: '102' } };
    const comet = JSON.parse((await post('/comet', request)).body);
    const documented = JSON.parse((await post('/', request)).body);
    expect(comet).toMatchObject({ jsonrpc: '2.0', id: 7, result: { block: { header: { height: '102' } } } });
    expect(comet).not.toHaveProperty('error');
    expect(documented).toEqual({ ...comet, error: '' });
  });

  it('an error is an object at /comet and text at the root', async () => {
    const request = { jsonrpc: '2.0', id: 7, method: 'block', params: { height: '-1' } };
    const text = 'height must be greater than 0, but got -1';
    const comet = await post('/comet', request);
    expect(JSON.parse(comet.body)).toEqual({
      jsonrpc: '2.0',
      id: 7,
      error: { code: -32603, message: 'Internal error', data: text },
    });
    expect(JSON.parse((await post('/', request)).body)).toEqual({ jsonrpc: '2.0', id: 7, error: text });
  });

  it.each(['/comet', '/'])('an id is returned exactly at %s', async (path) => {
    for (const id of ['9007199254740993', '-9223372036854775808', '123456789012345678901234567890', '"a"', '0', '""']) {
      const { body } = await post(path, `{"jsonrpc":"2.0","id":${id},"method":"health","params":{}}`);
      expect(body).toContain(`"id":${id},"result":{}`);
    }
    const { body } = await post(path, '[{"id":9007199254740993,"method":"health"},{"id":1,"method":"health"}]');
    expect(body).toMatch(/^\[\{"jsonrpc":"2.0","id":9007199254740993,.*"id":1,/);
  });

  it.each(['/comet', ''])('a call by URI has the id -1 at %s', async (base) => {
    for (const method of ['health', 'status', 'abci_info', 'block']) {
      const { status, body } = await send(`${url}${base}/${method}`);
      expect([status, JSON.parse(body).id]).toEqual([200, -1]);
    }
  });

  it.each(['/comet', ''])('the path of the WebSocket at %s requires an upgrade', async (base) => {
    const { status, headers, body } = await send(`${url}${base}/websocket`);
    expect([status, headers.upgrade]).toEqual([426, 'websocket']);
    const { error } = JSON.parse(body);
    expect(base === '' ? error : error.data).toMatch(/WebSocket/);
  });
});
