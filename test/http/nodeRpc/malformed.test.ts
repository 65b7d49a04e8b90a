import { afterAll, describe, expect, it } from 'vitest';
import { type RpcChain, startRpcChain } from './rpcChain.ts';

const rpc: RpcChain = await startRpcChain();
await rpc.commit();
await rpc.commit();
afterAll(() => rpc.close());

const ofUri = 'error converting http params to arguments: ';
const ofJson = 'error converting json params to arguments: ';

describe('null in a URI at /comet is absent', () => {
  it('the newest block, which is not cacheable', async () => {
    const { status, headers, json } = await rpc.get('/comet/block?height=null');
    expect([status, headers['cache-control']]).toEqual([200, undefined]);
    expect(json.result).toEqual((await rpc.get('/comet/block')).json.result);
  });

  it('flags, texts and bytes', async () => {
    const { status, json } = await rpc.get('/comet/abci_query?path="/app/version"&data=null&height=null&prove=null');
    expect([status, json.result]).toMatchObject([200, { response: { code: 0 } }]);
  });
});

describe("the node's errors for arguments by URI at /comet", () => {
  it.each([
    ['/block?height=05', "invalid character '5' after top-level value"],
    ['/block?height="1.5"', 'json: cannot unmarshal number 1.5 into Go value of type int64'],
    ['/block?height="abc"', "invalid character 'a' looking for beginning of value"],
    ['/block?height=""', 'unexpected end of JSON input'],
    ['/block?height="true"', 'json: cannot unmarshal bool into Go value of type int64'],
    ['/block?height=1e3', 'invalid 64-bit integer encoding "1e3", expected string'],
    ['/block?height=9223372036854775808', 'json: cannot unmarshal number 9223372036854775808 into Go value of type int64'],
    ['/genesis_chunked?chunk=-1', 'json: cannot unmarshal number -1 into Go value of type uint'],
    ['/tx?hash=ABC', "invalid character 'A' looking for beginning of value"],
    ['/tx?hash=123', 'json: cannot unmarshal number into Go value of type []uint8'],
    ['/tx?hash="abc', 'unexpected end of JSON input'],
    ['/tx?hash=0xABC', 'encoding/hex: odd length hex string'],
    ['/tx?hash=0xA%C3%A9', "encoding/hex: invalid byte: U+00C3 'Ã'"],
    ['/header_by_hash?hash=ABC', 'invalid hex string: ABC'],
    ['/tx?hash=0x00&prove=1', 'json: cannot unmarshal number into Go value of type bool'],
    ['/tx?hash=0x00&prove=trux', "invalid character 'x' in literal true (expecting 'e')"],
    ["/tx_search?query='a'", "invalid character '\\'' looking for beginning of value"],
    ['/tx_search?query=5', 'json: cannot unmarshal number into Go value of type string'],
  ])('a malformed request: %s', async (target, problem) => {
    const { status, json } = await rpc.get(`/comet${target}`);
    expect([status, json.error]).toEqual([500, { code: -32602, message: 'Invalid params', data: ofUri + problem }]);
  });
});

describe("the node's errors for arguments by POST at /comet", () => {
  it.each([
    ['block', { height: 'abc' }, "invalid character 'a' looking for beginning of value"],
    ['block', { height: '05' }, "invalid character '5' after top-level value"],
    ['block', { height: true }, 'invalid 64-bit integer encoding "true", expected string'],
    ['tx', { hash: 'AAE' }, 'illegal base64 data at input byte 0'],
    ['tx', { hash: 'AAAA=AAA' }, 'illegal base64 data at input byte 4'],
    ['tx', { hash: 5 }, 'json: cannot unmarshal number into Go value of type []uint8'],
    ['header_by_hash', { hash: 5 }, 'invalid hex string: 5'],
    ['header_by_hash', { hash: 'xx' }, "encoding/hex: invalid byte: U+0078 'x'"],
    [
      'block',
      'latest',
      'unknown type for JSON params: json: cannot unmarshal string into Go value of type []json.RawMessage. Expected map or array',
    ],
  ])('a malformed request: %s %j', async (method, params, problem) => {
    const { status, json } = await rpc.call('/comet', method, params);
    expect([status, json.error]).toEqual([200, { code: -32602, message: 'Invalid params', data: ofJson + problem }]);
  });

  it.each([
    ['{"a":1,}', "invalid character '}' looking for beginning of object key string"],
    ['{"id":1 "method":"health"}', `invalid character '"' after object key:value pair`],
    ['[1 2]', "invalid character '2' after array element"],
    ['{"id":01}', "invalid character '1' after object key:value pair"],
  ])('a body that is not JSON: %s', async (body, problem) => {
    const { status, json } = await rpc.post('/comet', body);
    expect([status, json.error]).toMatchObject([500, { code: -32700, data: `error unmarshaling request: ${problem}` }]);
  });
});
