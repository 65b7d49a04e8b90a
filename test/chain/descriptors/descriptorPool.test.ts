import type { DescEnum, DescMessage } from '@bufbuild/protobuf';
import { describe, expect, it } from 'vitest';
import { isChainError } from '../../../src/chain/base/errors.ts';
import { createDescriptorPool } from '../../../src/chain/descriptors/descriptorPool.ts';
import { readDescriptors } from '../../recordings/recordings.ts';
import { readRegistry } from '../../recordings/registry.ts';
import { runsAll } from '../../support/atRandom.ts';

const pool = createDescriptorPool(readDescriptors());
const whole = readRegistry();

const shape = ({ typeName, fields, oneofs }: DescMessage) => ({
  typeName,
  oneofs: oneofs.map(({ name }) => name),
  fields: fields.map((field) => [
    field.number,
    field.name,
    field.jsonName,
    field.fieldKind,
    field.message?.typeName ?? field.enum?.typeName ?? field.scalar,
  ]),
});
const values = (desc: DescEnum) => desc.values.map(({ name, number }) => [name, number]);

describe('the pool of a real chain', () => {
  it.runIf(runsAll)('has every message and enum of the whole registry, including nested ones', () => {
    let messages = 0;
    for (const type of whole) {
      if (type.kind === 'message') {
        expect(shape(pool.message(type.typeName)!)).toEqual(shape(type));
        messages += 1;
      }
      if (type.kind === 'enum') expect(values(pool.registry.getEnum(type.typeName)!)).toEqual(values(type));
      if (type.kind === 'extension') expect(pool.registry.getExtension(type.typeName)?.number).toBe(type.number);
    }
    expect(messages).toBeGreaterThan(2_500);
  });

  it('has every service, with its methods', () => {
    const services = [...whole].filter((type) => type.kind === 'service');
    expect(pool.services).toEqual(services.map(({ typeName }) => typeName).toSorted());
    for (const { typeName, methods } of services) {
      const own = pool.service(typeName)!.methods.map((method) => [method.name, method.input.typeName, method.output.typeName]);
      expect(own).toEqual(methods.map((method) => [method.name, method.input.typeName, method.output.typeName]));
    }
  });

  it('returns the same object for a type, whichever file referred to it', () => {
    const coin = pool.message('cosmos.base.v1beta1.Coin');
    const send = pool.message('cosmos.bank.v1beta1.MsgSend')!;
    expect(send.field.amount?.message).toBe(coin);
    expect(pool.message('cosmos.bank.v1beta1.MsgSend')).toBe(send);
  });

  it.each([
    '',
    '.',
    'cosmos',
    'cosmos.bank.v1beta1',
    'cosmos.bank.v1beta1.MsgSent',
    'cosmos.bank.v1beta1.MsgSend.Nested',
    '__proto__',
  ])('does not have %j', (name) => {
    expect(pool.message(name)).toBeUndefined();
    expect(pool.service(name)).toBeUndefined();
  });

  it('does not return a message as a service, or a service as a message', () => {
    expect(pool.service('cosmos.bank.v1beta1.MsgSend')).toBeUndefined();
    expect(pool.message('cosmos.bank.v1beta1.Query')).toBeUndefined();
  });
});

describe('invalid bytes', () => {
  it.each([
    ['text', Buffer.from('<html><body>502</body></html>')],
    ['half of the bytes', readDescriptors().subarray(0, 300_000)],
  ])('are rejected: %s', (_, bytes) => {
    const fail = (): unknown => createDescriptorPool(bytes);
    expect(fail).toThrow(/descriptors/);
    try {
      fail();
    } catch (error) {
      expect(isChainError(error, 'NODE_INVALID_RESPONSE')).toBe(true);
    }
  });
});
