import { create, toBinary } from '@bufbuild/protobuf';
import { describe, expect, it } from 'vitest';
import { createDescriptorPool } from '../../../../src/chain/descriptors/descriptorPool.ts';
import { decimalText } from '../../../../src/chain/wire/protoJson.ts';
import { statusOf, toGrpc } from '../../../../src/surfaces/rest/dialect.ts';
import { createPrinter, documentedPrinting, nodePrinting } from '../../../../src/surfaces/rest/printer.ts';
import { readDescriptors, readRecording } from '../../../recordings/recordings.ts';

const pool = createDescriptorPool(readDescriptors());
const node = createPrinter(nodePrinting, pool.registry);
const documented = createPrinter(documentedPrinting, pool.registry);

/** Encodes protobuf by hand: length-delimited fields and varints. */
function wire(...fields: readonly (readonly [number, bigint | string | Uint8Array])[]): Uint8Array {
  const varint = (value: bigint): number[] =>
    value < 128n ? [Number(value)] : [Number(value & 127n) | 128, ...varint(value >> 7n)];
  return Uint8Array.from(
    fields.flatMap(([number, value]) => {
      if (typeof value === 'bigint') return [...varint(BigInt(number << 3)), ...varint(value)];
      const bytes = typeof value === 'string' ? Buffer.from(value) : value;
      return [...varint(BigInt((number << 3) | 2)), ...varint(BigInt(bytes.length)), ...bytes];
    }),
  );
}

const message = (name: string) => pool.message(name)!;
const vote = message('cosmos.group.v1.Vote');
const any = message('google.protobuf.Any');

describe('printing', () => {
  it("writes 64-bit integers exactly: strings in the node's dialect, integers in the documented dialect", () => {
    const bytes = wire([1, 18446744073709551615n], [2, 'tp1'], [3, 1n]);
    expect(node(vote, bytes)).toContain('"proposal_id":"18446744073709551615"');
    expect(documented(vote, bytes)).toContain('"proposalId":18446744073709551615,');
  });

  it('writes unset fields: messages that cannot be null with their defaults, other messages as null, empty texts, enums by name', () => {
    expect(JSON.parse(node(vote, wire()))).toEqual({
      proposal_id: '0',
      voter: '',
      option: 'VOTE_OPTION_UNSPECIFIED',
      metadata: '',
      submit_time: '0001-01-01T00:00:00Z',
    });
    expect(documented(message('cosmos.base.query.v1beta1.PageResponse'), wire())).toBe('{"nextKey":"","total":0}');
    expect(node(message('cosmos.base.query.v1beta1.PageResponse'), wire())).toBe('{"next_key":null,"total":"0"}');
  });

  it("writes defaults of nested messages, and durations, only in the node's dialect", () => {
    expect(JSON.parse(node(message('cosmos.group.v1.DecisionPolicyWindows'), wire()))).toEqual({
      voting_period: '0s',
      min_execution_period: '0s',
    });
    const params = message('cosmwasm.wasm.v1.QueryParamsResponse');
    expect(JSON.parse(node(params, wire()))).toEqual({
      params: {
        code_upload_access: { permission: 'Unspecified', addresses: [] },
        instantiate_default_permission: 'Unspecified',
      },
    });
    expect(JSON.parse(documented(params, wire()))).toEqual({ params: null });
    expect(JSON.parse(node(message('cosmos.base.tendermint.v1beta1.GetLatestBlockResponse'), wire())).block).toBeNull();
  });

  it('writes access types, messages and bytes of wasm in the format of their Go types', () => {
    const access = message('cosmwasm.wasm.v1.AccessConfig');
    const written = [1n, 3n, 4n, 77n].map((number) => JSON.parse(node(access, wire([1, number]))).permission);
    expect(written).toEqual(['Nobody', 'Everybody', 'AnyOfAddresses', 'Unspecified']);
    expect(JSON.parse(documented(access, wire([1, 3n]))).permission).toBe('ACCESS_TYPE_EVERYBODY');
    const execute = message('cosmwasm.wasm.v1.MsgExecuteContract');
    const msg = '{ "id": 12345678901234567890, "text": "a <b> \\" c" }';
    expect(node(execute, wire([3, msg]))).toContain('"msg":{"id":12345678901234567890,"text":"a \\u003cb\\u003e \\" c"},');
    expect(JSON.parse(node(execute, wire())).msg).toBeNull();
    expect(JSON.parse(node(execute, wire([3, '{']))).msg).toBe('ew==');
    const model = message('cosmwasm.wasm.v1.Model');
    expect(JSON.parse(node(model, wire([1, 'kl'], [2, 'v'])))).toEqual({ key: '6B6C', value: 'dg==' });
    expect(JSON.parse(node(model, wire()))).toEqual({ key: '', value: null });
  });

  it("writes an unknown enum value as a number in the node's dialect, and as UNRECOGNIZED in the documented dialect", () => {
    expect(JSON.parse(node(vote, wire([3, 77n]))).option).toBe(77);
    expect(JSON.parse(documented(vote, wire([3, 77n]))).option).toBe('UNRECOGNIZED');
  });

  it("escapes text as Go does in the node's dialect", () => {
    expect(node(vote, wire([4, '<a&b>\u2028']))).toContain('"metadata":"\\u003ca\\u0026b\\u003e\\u2028"');
    expect(documented(vote, wire([4, '<a&b>']))).toContain('"metadata":"<a&b>"');
  });

  it('writes an Any of an unknown type, or with invalid bytes, as its bytes', () => {
    const unknown = wire([1, '/no.Such'], [2, Uint8Array.of(1, 2)]);
    expect(JSON.parse(node(any, unknown))).toEqual({ '@type': '/no.Such', value: 'AQI=' });
    expect(JSON.parse(documented(any, unknown))).toEqual({ type: '/no.Such', value: 'AQI=' });
    const broken = wire([1, '/cosmos.group.v1.Vote'], [2, Uint8Array.of(255)]);
    expect(JSON.parse(node(any, broken))).toEqual({ '@type': '/cosmos.group.v1.Vote', value: '/w==' });
    expect(() => node(vote, Uint8Array.of(255))).toThrow();
  });

  it('writes an Any within an Any', () => {
    const held = wire([1, '/cosmos.group.v1.Vote'], [2, wire([2, 'tp1'])]);
    expect(JSON.parse(node(any, wire([1, '/google.protobuf.Any'], [2, held])))).toMatchObject({
      '@type': '/google.protobuf.Any',
      value: { '@type': '/cosmos.group.v1.Vote', voter: 'tp1' },
    });
  });

  it('writes decimals with a decimal point, and metadata addresses in bech32', () => {
    expect(['0', '1', '-250000000000000000', '1000000000000000000', 'x'].map(decimalText)).toEqual([
      '0.000000000000000000',
      '0.000000000000000001',
      '-0.250000000000000000',
      '1.000000000000000000',
      'x',
    ]);
    const coin = message('cosmos.base.v1beta1.DecCoin');
    const bytes = wire([1, 'nhash'], [2, '1500000000000000000']);
    expect(JSON.parse(node(coin, bytes))).toEqual({ denom: 'nhash', amount: '1.500000000000000000' });
    const inflation = message('cosmos.mint.v1beta1.QueryInflationResponse');
    expect(node(inflation, wire([1, '130000000000000000']))).toBe('{"inflation":"0.130000000000000000"}');
  });

  it('writes times with nanoseconds, and durations', () => {
    const submitted = toBinary(message('google.protobuf.Timestamp'), {
      ...create(message('google.protobuf.Timestamp')),
      seconds: 1795229867n,
      nanos: 205714307,
    } as never);
    expect(JSON.parse(node(vote, wire([5, submitted]))).submit_time).toBe('2026-11-21T02:57:47.205714307Z');
    const windows = message('cosmos.group.v1.DecisionPolicyWindows');
    expect(JSON.parse(documented(windows, wire([1, wire([1, 20n], [2, 500000000n])])))).toEqual({
      votingPeriod: '20.500s',
      minExecutionPeriod: null,
    });
  });

  it('writes the set member of a oneof, and maps in the order of their keys', () => {
    const mode = message('cosmos.tx.v1beta1.ModeInfo');
    expect(node(mode, wire())).toBe('{}');
    expect(node(mode, wire([1, wire([1, 1n])]))).toBe('{"single":{"mode":"SIGN_MODE_DIRECT"}}');
  });
});

describe('rejected reads', () => {
  it("are converted to the recorded errors of the node's REST API", () => {
    const refused = readRecording('queries').filter(({ rest }) => rest !== undefined && rest.status !== 200);
    expect(refused).toHaveLength(116);
    for (const { path, response, rest } of refused) {
      const { code: abciCode, codespace, log } = response;
      const { code, message: text } = toGrpc(path.split('/')[1]!, { abciCode, codespace, log });
      expect({ code, text, status: statusOf(code) }).toEqual({
        code: rest?.body.code,
        text: rest?.body.message,
        status: rest?.status,
      });
    }
  });

  // From the sources of the modules; no recording has them.
  it.each([
    ['cosmos.staking.v1beta1.Query', 'validator does not exist', 'codespace staking code 3: validator does not exist'],
    [
      'cosmos.slashing.v1beta1.Query',
      'no validator signing info found',
      'codespace slashing code 8: no validator signing info found',
    ],
    ['cosmos.nft.v1beta1.Query', 'not/here: nft does not exist', 'codespace nft code 6: nft does not exist: not/here'],
    // The module asset reads from the module nft, and registers no errors of its own.
    ['provenance.asset.v1.Query', 'nft class does not exist', 'codespace nft code 4: nft class does not exist'],
    ['provenance.registry.v1.Query', 'a: registry not found', 'codespace registry code 5: registry not found: a'],
    ['provenance.metadata.v1.Query', 'no locator bound to address', 'codespace metadata code 4: no locator bound to address'],
    ['provenance.name.v1.Query', 'invalid account address', 'codespace name code 8: invalid account address'],
    ['provenance.trigger.v1.Query', 'trigger not found', 'codespace trigger code 2: trigger not found'],
    // Not that of the SDK, whose number is 38.
    ['provenance.ledger.v1.Query', 'ledger: not found', 'codespace ledger code 6: not found: ledger'],
    ['cosmos.group.v1.Query', 'group: not found', 'codespace sdk code 38: not found: group'],
    // Several modules register this text.
    ['x.Query', 'validator does not exist', 'validator does not exist'],
  ])('have the codespace and the number of the module: %s %s', (service, log, message) => {
    expect(toGrpc(service, { abciCode: 6, codespace: 'sdk', log: `${log}: unknown request` })).toEqual({ code: 2, message });
  });

  it('with an unknown error keep its text', () => {
    const grpcStatus = toGrpc('x.Query', { abciCode: 6, codespace: 'sdk', log: 'odd: strange thing: unknown request' });
    expect(grpcStatus).toEqual({ code: 2, message: 'odd: strange thing' });
    expect(toGrpc('x.Query', { abciCode: 6, codespace: 'sdk', log: 'unknown query path: unknown request' }).code).toBe(12);
    expect(toGrpc('x.Query', { abciCode: 111222, codespace: 'undefined', log: 'panic' })).toEqual({
      code: 13,
      message: 'panic',
    });
  });
});
