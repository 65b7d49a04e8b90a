import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDescriptorPool } from '../../../src/chain/descriptors/descriptorPool.ts';
import { toGrpc } from '../../../src/surfaces/rest/dialect.ts';
import { goMessageError } from '../../../src/surfaces/rest/requestJson.ts';
import { readDescriptors } from '../../recordings/recordings.ts';
import { startChain, type TestChain } from '../../support/chain.ts';
import { type Stack, startStack } from '../../support/stack.ts';
import { at, get } from './rest.ts';

let chain: TestChain;
let stack: Stack;

beforeAll(async () => {
  chain = await startChain();
  stack = await startStack([chain.node.url]);
});

afterAll(async () => {
  await stack.close();
  await chain.devnet.close();
});

const groups = '/rest/cosmos/group/v1/groups';

const refusal = async (target: string) => {
  const { status, body } = await get(stack.server, target);
  return [status, body];
};

const invalid = (message: string) => [400, { code: 3, message, details: [] }];

describe('parameters at /rest are parsed as by grpc-gateway', () => {
  it.each(['0x2', '0X2', '0b10', '0o2', '02', '0_2'])('an integer in another base: %s', async (limit) => {
    const { status, body } = await get(stack.server, `${groups}?pagination.limit=${limit}`);
    expect([status, body.groups.length]).toEqual([200, 2]);
  });

  it('an integer in a path in another base', async () => {
    const { status, body } = await get(stack.server, '/rest/cosmos/group/v1/group_info/0x1');
    expect([status, body.info.id]).toEqual([200, '1']);
  });

  it.each([
    ['08', 'strconv.ParseUint: parsing "08": invalid syntax'],
    ['1__0', 'strconv.ParseUint: parsing "1__0": invalid syntax'],
    ['%2B5', 'strconv.ParseUint: parsing "+5": invalid syntax'],
    ['-1', 'strconv.ParseUint: parsing "-1": invalid syntax'],
    ['', 'strconv.ParseUint: parsing "": invalid syntax'],
    ['0x10000000000000000', 'strconv.ParseUint: parsing "0x10000000000000000": value out of range'],
    ['%E2%80%8B', 'strconv.ParseUint: parsing "\\u200b": invalid syntax'],
  ])('an invalid integer: %s', async (limit, message) => {
    expect(await refusal(`${groups}?pagination.limit=${limit}`)).toEqual(invalid(message));
  });

  it.each([
    ['AAAAAAAAAAM', 'illegal base64 data at input byte 8'],
    ['A', 'illegal base64 data at input byte 0'],
    ['AA+AA', 'illegal base64 data at input byte 2'],
    ['!', 'illegal base64 data at input byte 0'],
  ])('base64 without padding, or with other characters: %s', async (key, message) => {
    expect(await refusal(`${groups}?pagination.key=${key}`)).toEqual(invalid(message));
  });

  it('base64 with padding, in either alphabet', async () => {
    for (const key of ['AAAAAAAAAAM=', 'AAAAAAAAAAM%3D', '-_8AAAAAAAM=', '%2B/8AAAAAAAM=']) {
      expect((await get(stack.server, `${groups}?pagination.key=${key}`)).status).toBe(200);
    }
  });

  it.each([
    ['pagination.limit.x=1', 'unexpected nested field x in pagination.limit'],
    ['pagination.key.x=1', 'unexpected repeated field in pagination.key.x'],
    ['pagination.reverse=2', 'strconv.ParseBool: parsing "2": invalid syntax'],
  ])('the name of a field that takes no text: %s', async (query, message) => {
    expect(await refusal(`${groups}?${query}`)).toEqual(invalid(message));
  });

  it('text for a message field: pagination=1, with the Go type from the descriptors of the chain', async () => {
    const problem = 'is not supported in query parameters';
    expect(await refusal(`${groups}?pagination=1`)).toEqual(invalid(`field type *query.PageRequest ${problem}`));
    const recorded = createDescriptorPool(readDescriptors()).message('cosmos.base.query.v1beta1.PageRequest')!;
    expect(goMessageError(recorded)).toBe(`field type *query.PageRequest ${problem}`);
  });

  it('unknown names are ignored, and the root paths have their own rules', async () => {
    for (const query of ['nope=1', 'nope.limit=1', 'pagination.nope=1']) {
      expect((await get(stack.server, `${groups}?${query}`)).status).toBe(200);
    }
    const root = '/cosmos/group/v1/groups';
    expect((await get(stack.server, `${root}?pagination.limit=0x2`)).status).toBe(400);
    expect((await get(stack.server, `${root}?pagination=1`)).status).toBe(200);
  });
});

describe('bodies at /rest', () => {
  const path = '/rest/provenance/tx/v1/calculate_flat_fee';
  const post = (body: string) => get(stack.server, path, { 'content-type': 'application/json' }, { method: 'POST', body });

  it('unknown members are ignored', async () => {
    const { status, body } = await post('{"tx_bytes":"","nope":{"deep":[1]},"gas_adjustment":1}');
    const known = await post('{"tx_bytes":"","gas_adjustment":1}');
    expect([status, body]).toEqual([known.status, known.body]);
    expect(JSON.stringify(body)).not.toContain('nope');
  });

  it.each([
    ['{"tx_bytes":}', "invalid character '}' looking for beginning of value"],
    ['{"tx_bytes":"', 'unexpected EOF'],
    ['[]', 'json: cannot unmarshal array into Go value of type map[string]json.RawMessage'],
  ])('a body that is not a JSON object: %s', async (body, message) => {
    const answer = await post(body);
    expect([answer.status, answer.body]).toEqual(invalid(message));
  });
});

describe('headers at /rest', () => {
  it('the time of the server on every response, and the height under both names on successful responses', async () => {
    const height = String(stack.client.head.current()?.height);
    const well = await get(stack.server, groups, at(height));
    expect(well.headers.get('grpc-metadata-x-cosmos-block-height')).toBe(height);
    expect(well.headers.get('x-cosmos-block-height')).toBe(height);
    const missing = await get(stack.server, '/rest/cosmos/group/v1/proposal/999999', at(height));
    expect(missing.headers.get('grpc-metadata-x-cosmos-block-height')).toBe(height);
    expect(missing.headers.get('x-cosmos-block-height')).toBeNull();
    const wrong = await get(stack.server, `${groups}?pagination.limit=abc`);
    const nowhere = await get(stack.server, '/rest/nope/x');
    for (const { headers } of [well, missing, wrong, nowhere]) {
      const seconds = Number(headers.get('x-server-time'));
      expect(Math.abs(seconds - Date.now() / 1000)).toBeLessThan(60);
    }
    expect((await get(stack.server, '/cosmos/group/v1/groups')).headers.get('x-server-time')).toBeNull();
  });

  it('an error is never cacheable', async () => {
    for (const target of ['/rest/cosmos/group/v1/proposal/999999', `${groups}?pagination.limit=abc`, '/rest/nope/x']) {
      expect((await get(stack.server, target)).headers.get('cache-control')).toBe('no-store');
    }
    expect((await get(stack.server, groups, at(99_999_999))).headers.get('cache-control')).toBe('no-store');
  });
});

describe('errors of modules at /rest', () => {
  it.each([
    [
      'cosmwasm.wasm.v1.Query',
      { abciCode: 6, codespace: 'sdk', log: 'code id 99: no such code: unknown request' },
      'codespace wasm code 28: no such code: code id 99',
    ],
    [
      'cosmwasm.wasm.v1.Query',
      { abciCode: 28, codespace: 'wasm', log: 'code id 99: no such code' },
      'codespace wasm code 28: no such code: code id 99',
    ],
    [
      'other.module.v1.Query',
      { abciCode: 5, codespace: 'other', log: 'asset 7 of list: no such asset' },
      'codespace other code 5: no such asset: asset 7 of list',
    ],
    [
      'other.module.v1.Query',
      { abciCode: 5, codespace: 'other', log: 'no such asset' },
      'codespace other code 5: no such asset',
    ],
    // The text of another module, which this chain may not have.
    [
      'other.module.v1.Query',
      { abciCode: 5, codespace: 'other', log: 'offer 7: invalid value' },
      'codespace other code 5: invalid value: offer 7',
    ],
    [
      'other.module.v1.Query',
      { abciCode: 6, codespace: 'sdk', log: 'offer 7: invalid value: unknown request' },
      'offer 7: invalid value',
    ],
    // A number that the SDK has registered later than this table was made.
    [
      'cosmos.staking.v1beta1.Query',
      { abciCode: 47, codespace: 'staking', log: 'pubkey was rotated' },
      'codespace staking code 47: pubkey was rotated',
    ],
    [
      'cosmos.staking.v1beta1.Query',
      { abciCode: 6, codespace: 'sdk', log: 'key 1: pubkey was rotated: unknown request' },
      'key 1: pubkey was rotated',
    ],
  ])('an error of a module at /rest: %s %j', (service, refused, message) => {
    expect(toGrpc(service, refused)).toEqual({ code: 2, message });
  });
});
