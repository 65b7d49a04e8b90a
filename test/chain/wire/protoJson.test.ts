import { toJson } from '@bufbuild/protobuf';
import { AnySchema } from '@bufbuild/protobuf/wkt';
import { MsgSend } from 'cosmjs-types/cosmos/bank/v1beta1/tx';
import { MsgSubmitProposal } from 'cosmjs-types/cosmos/group/v1/tx';
import { TxBody, TxRaw } from 'cosmjs-types/cosmos/tx/v1beta1/tx';
import { describe, expect, it } from 'vitest';
import { createDescriptorPool } from '../../../src/chain/descriptors/descriptorPool.ts';
import type { JsonValue } from '../../../src/chain/wire/json.ts';
import { anyJson, messageJson } from '../../../src/chain/wire/protoJson.ts';
import { camelCased, readDescriptors, readRecording } from '../../recordings/recordings.ts';
import { readRegistry } from '../../recordings/registry.ts';

const { registry, service } = createDescriptorPool(readDescriptors());
const whole = readRegistry();

const rows = readRecording('queries').filter(
  ({ response, decoded }) => response.code === 0 && decoded !== undefined && decoded !== null,
);

describe('responses of a real node', () => {
  it.each(rows.map((row) => [`${row.name} at ${row.height} ${row.request}`, row] as const))(
    '%s',
    (_, { path, response, decoded }) => {
      const [, name = '', method] = path.split('/');
      const output = service(name)!.methods.find((each) => each.name === method)!.output;
      expect(messageJson(registry, output, Buffer.from(response.value ?? '', 'base64'))).toEqual(
        camelCased(decoded as JsonValue),
      );
    },
  );
});

describe('the messages of a real chain', () => {
  it('print like the protobuf library with the whole registry', () => {
    let count = 0;
    for (const { block } of readRecording('chain')) {
      const { data } = (block as unknown as { block: { data: { txs: string[] | null } } }).block;
      for (const tx of data.txs ?? []) {
        const { messages } = TxBody.decode(TxRaw.decode(Buffer.from(tx, 'base64')).bodyBytes);
        for (const { typeUrl, value } of messages) {
          const any = { $typeName: AnySchema.typeName, typeUrl, value } as const;
          const wanted = toJson(AnySchema, any as never, { registry: whole, alwaysEmitImplicit: true });
          expect(anyJson(registry, { type: typeUrl, value })).toEqual(wanted);
          count += 1;
        }
      }
    }
    expect(count).toBeGreaterThan(100);
  });
});

describe('a message in an Any', () => {
  const send = {
    typeUrl: '/cosmos.bank.v1beta1.MsgSend',
    value: MsgSend.encode(MsgSend.fromPartial({ fromAddress: 'a' })).finish(),
  };
  const proposal = (messages: { typeUrl: string; value: Uint8Array }[]) => ({
    type: '/cosmos.group.v1.MsgSubmitProposal',
    value: MsgSubmitProposal.encode(MsgSubmitProposal.fromPartial({ title: 'It', messages })).finish(),
  });
  const known = { '@type': send.typeUrl, fromAddress: 'a', toAddress: '', amount: [] };
  const inner = (json: JsonValue): JsonValue | undefined => (json as { messages: JsonValue[] }).messages;

  it('is decoded; one of an unknown type becomes its bytes, and others stay decoded', () => {
    const strange = { typeUrl: '/some.day.v1.MsgNew', value: Uint8Array.of(10, 1, 255) };
    const json = anyJson(registry, proposal([send, strange, send]));
    expect(json).toMatchObject({ '@type': '/cosmos.group.v1.MsgSubmitProposal', title: 'It' });
    expect(inner(json)).toEqual([known, { '@type': strange.typeUrl, value: 'CgH/' }, known]);
  });

  it('is decoded two levels down too', () => {
    const strange = { typeUrl: '/some.day.v1.MsgNew', value: Uint8Array.of(1) };
    const { type: typeUrl, value } = proposal([strange]);
    const json = anyJson(registry, proposal([{ typeUrl, value }]));
    expect(inner(inner(json)![0 as never] as JsonValue)).toEqual([{ '@type': strange.typeUrl, value: 'AQ==' }]);
  });

  it('becomes its bytes if these do not decode', () => {
    const broken = { typeUrl: send.typeUrl, value: Uint8Array.of(0xff) };
    const bytes = { '@type': send.typeUrl, value: '/w==' };
    expect(inner(anyJson(registry, proposal([broken])))).toEqual([bytes]);
    // It does not affect a message of the same type beside it.
    expect(inner(anyJson(registry, proposal([send, broken, send])))).toEqual([known, bytes, known]);
  });
});

describe('a single message', () => {
  it('with a special JSON form has that form as `value`', () => {
    const value = Uint8Array.of(8, 1);
    expect(anyJson(registry, { type: '/google.protobuf.Timestamp', value })).toEqual({
      '@type': '/google.protobuf.Timestamp',
      value: '1970-01-01T00:00:01Z',
    });
  });

  it.each([
    ['/some.day.v1.MsgNew', ''],
    ['', ''],
    ['/cosmos.bank.v1beta1.MsgSend', 'ff'],
  ])('is null if it cannot be decoded: %j %j', (type, hex) => {
    expect(anyJson(registry, { type, value: Buffer.from(hex, 'hex') })).toBeNull();
  });
});
