import type { DescFile } from '@bufbuild/protobuf';
import type { FileDescriptorProto } from '@bufbuild/protobuf/wkt';
import { ReflectionService } from '../../../../../src/proto/cosmos/reflection/v1/reflection_pb.js';
import { moduleOf } from '../runtime/absentModules.ts';
import { type Keeper, onQuery, type QueryHandler } from '../runtime/keeper.ts';
import { protoFiles } from '../runtime/protoFiles.ts';

/** Returns the distinct descriptors of these files and of their imports, in alphabetical order as on the real chain. */
function describe(files: readonly DescFile[]): FileDescriptorProto[] {
  const filesByName = new Map<string, FileDescriptorProto>();
  const add = (file: DescFile): void => {
    if (filesByName.has(file.proto.name)) return;
    filesByName.set(file.proto.name, file.proto);
    for (const imported of file.dependencies) add(imported);
  };
  for (const file of files) add(file);
  return [...filesByName.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/**
 * The reflection service: the descriptors of the devnet's messages, including REST rules, except those of absent modules. They are collected on first use.
 */
export function createReflectionKeeper(absent: ReadonlySet<string>): Keeper {
  const served = protoFiles.filter(({ proto }) => !absent.has(moduleOf(proto.package)));
  const handler = onQuery(ReflectionService.method.fileDescriptors, () => ({ files: describe(served) }));
  let answer: Uint8Array | undefined;
  const once: QueryHandler = {
    path: handler.path,
    answer(state, request, time) {
      answer ??= handler.answer(state, request, time);
      return answer;
    },
  };
  return { messages: [], queries: [once] };
}
