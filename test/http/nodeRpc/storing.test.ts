import { afterAll, describe, expect, it } from 'vitest';
import { type RpcChain, startRpcChain } from './rpcChain.ts';

const rpc: RpcChain = await startRpcChain();
for (let block = 0; block < 3; block += 1) await rpc.commit();
afterAll(() => rpc.close());

const day = 'private, max-age=86400';
const noHash = '00'.repeat(32);
const noHashBase64 = Buffer.alloc(32).toString('base64');

describe('a response that a later block can change is never cacheable', () => {
  it.each([
    ['an error', '/block?height=0'],
    ['an error of arguments', '/block?height=abc'],
    ['a height to come', '/block?height=99999'],
    ['a height to come', '/validators?height=99999'],
    ['a transaction that is not known', `/tx?hash=0x${noHash}`],
    ['a block that is not known', `/block_by_hash?hash=0x${noHash}`],
    ['a header that is not known', `/header_by_hash?hash=0x${noHash}`],
    ['a refused check', '/check_tx?tx=0x00'],
    ['a page of genesis that there is not', '/genesis_chunked?chunk=7'],
    ['a method that there is not', '/unsafe_flush_mempool'],
  ])('is never cacheable: %s: %s', async (_, target) => {
    for (const base of ['', '/comet']) {
      const { headers } = await rpc.get(`${base}${target}`);
      expect([base, headers['cache-control']]).toEqual([base, 'no-store']);
    }
  });

  it.each([
    ['an error', 'block', { height: '0' }],
    ['a height to come', 'commit', { height: '99999' }],
    ['a transaction that is not known', 'tx', { hash: noHashBase64, prove: false }],
    ['a block that is not known', 'block_by_hash', { hash: noHashBase64 }],
    ['a refused check', 'check_tx', { tx: 'AA==' }],
    ['a method that there is not', 'nope', {}],
  ])('by POST, %s: %s', async (_, method, params) => {
    for (const path of ['/', '/comet']) {
      const { headers } = await rpc.call(path, method, params);
      expect([path, headers['cache-control']]).toEqual([path, 'no-store']);
    }
  });

  it('a batch with such a call, and a body that is not a request', async () => {
    const call = (height: string): object => ({ jsonrpc: '2.0', id: 1, method: 'block', params: { height } });
    const send = async (path: string, body: unknown) =>
      (await rpc.post(path, typeof body === 'string' ? body : JSON.stringify(body))).headers['cache-control'];
    for (const path of ['/', '/comet']) {
      expect(await send(path, [call('1'), call('99999')])).toBe('no-store');
      expect(await send(path, [call('1'), call('2')])).toBe(day);
      expect(await send(path, '{')).toBe('no-store');
    }
  });

  it('a final response is cacheable for a day, and a live one has no header, as on a node', async () => {
    for (const base of ['', '/comet']) expect((await rpc.get(`${base}/block?height=1`)).headers['cache-control']).toBe(day);
    expect((await rpc.get('/comet/status')).headers['cache-control']).toBeUndefined();
    expect((await rpc.get('/status')).headers['cache-control']).toBe('no-store');
  });
});
