import { readdirSync } from 'node:fs';
import { create, createFileRegistry, fromBinary, getOption, toBinary } from '@bufbuild/protobuf';
import { AnySchema, type FileDescriptorProto, FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { describe, expect, it } from 'vitest';
import { signTx } from '../../../packages/devnet/src/app/runtime/wallet.ts';
import { FileDescriptorsResponseSchema, ReflectionService } from '../../../src/proto/cosmos/reflection/v1/reflection_pb.js';
import { http } from '../../../src/proto/google/api/annotations_pb.js';
import { readDescriptors } from '../../recordings/recordings.ts';
import { chainId, createChain } from './harness.ts';

const path = '/cosmos.reflection.v1.ReflectionService/FileDescriptors';
const chain = createChain();
const { files } = chain.query(ReflectionService.method.fileDescriptors, {});

/** Sorts files after their imports. */
function sorted(): FileDescriptorProto[] {
  const byName = new Map(files.map((file) => [file.name, file]));
  const done = new Set<FileDescriptorProto>();
  const visit = (file: FileDescriptorProto): void => {
    for (const name of file.dependency) if (!done.has(byName.get(name)!)) visit(byName.get(name)!);
    done.add(file);
  };
  for (const file of files) visit(file);
  return [...done];
}

const registry = createFileRegistry({ $typeName: 'google.protobuf.FileDescriptorSet', file: sorted() });

/** Modules of the real chain that the devnet does not have, or not whole. */
const lacking = ['cosmos/gov/', 'ibc/', 'provenance/exchange/', 'provenance/trigger/'];

describe('the descriptors of the chain', () => {
  it('are every compiled file and its imports, named and ordered as on a real chain', () => {
    const names = files.map(({ name }) => name);
    const generated = readdirSync(new URL('../../../src/proto/', import.meta.url), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('_pb.js'))
      .map((name) => name.replace('_pb.js', '.proto'));
    const missing = generated.filter((name) => !names.includes(name));
    expect(missing.filter((name) => !lacking.some((module) => name.startsWith(module)))).toEqual([]);
    expect(names).toEqual([...names].sort());
    const recorded = fromBinary(FileDescriptorSetSchema, readDescriptors()).file.map(({ name }) => name);
    expect(names.filter((name) => !recorded.includes(name))).toEqual([]);
    expect(names.filter((name) => name.startsWith('google/'))).toEqual([
      'google/api/annotations.proto',
      'google/api/http.proto',
      'google/protobuf/any.proto',
      'google/protobuf/descriptor.proto',
      'google/protobuf/duration.proto',
      'google/protobuf/timestamp.proto',
    ]);
  });

  it('are a valid descriptor set that contains the REST rules', () => {
    const raw = chain.raw(path);
    expect(fromBinary(FileDescriptorSetSchema, raw.value!).file).toHaveLength(files.length);
    const method = registry.getService('provenance.marker.v1.Query')!.method.holding!;
    expect(getOption(method, http).pattern).toEqual({ case: 'get', value: '/provenance/marker/v1/holding/{id}' });
  });

  it('are sufficient to decode responses: each described query is served, or reported as unknown', () => {
    const services = [...registry].filter((type) => type.kind === 'service' && /(Query|Service)$/.test(type.typeName));
    const unknown = services.flatMap((service) =>
      service.kind !== 'service'
        ? []
        : service.methods.flatMap(({ name }) => {
            const { code, log } = chain.raw(`/${service.typeName}/${name}`);
            return code === 6 && log === 'unknown query path: unknown request' ? [`${service.typeName}/${name}`] : [];
          }),
    );
    expect(unknown).toEqual([]);
    expect(services.length).toBeGreaterThan(11);
  });

  it('contain the messages that the devnet accepts, except those of governance', () => {
    const [account] = chain.accounts;
    const untaken = [...registry].flatMap((type) =>
      type.kind !== 'service' || !type.typeName.endsWith('.Msg')
        ? []
        : type.methods.flatMap(({ input }) => {
            const typeUrl = `/${input.typeName}`;
            const messages = [create(AnySchema, { typeUrl })];
            const tx = signTx({ account: account!, accountNumber: 0n, sequence: 0n, chainId, messages });
            const { log } = chain.block([tx]).txResults[0]!;
            return log.startsWith('unable to resolve type URL') ? [typeUrl] : [];
          }),
    );
    expect(untaken).toEqual(['/provenance.name.v1.MsgCreateRootNameRequest']);
  });

  it('are the same bytes each time', () => {
    const answer = toBinary(FileDescriptorsResponseSchema, chain.query(ReflectionService.method.fileDescriptors, {}));
    expect(Buffer.from(chain.raw(path).value!).equals(Buffer.from(answer))).toBe(true);
    expect(answer.length).toBeGreaterThan(30_000);
  });
});
