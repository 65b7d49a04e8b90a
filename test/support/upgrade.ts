import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import {
  type DescriptorProto,
  type FieldDescriptorProto,
  FieldDescriptorProto_Label,
  FieldDescriptorProto_Type,
  FieldDescriptorProtoSchema,
  type FileDescriptorSet,
  FileDescriptorSetSchema,
} from '@bufbuild/protobuf/wkt';
import type { DevnetNode } from '../../packages/devnet/src/node/node.ts';
import type { JsonObject } from '../../src/chain/wire/json.ts';

/** Makes a node say what it says after an upgrade to this version, with changed descriptors. */
export function upgradeNode(node: DevnetNode, version: string, change: (set: FileDescriptorSet) => void): void {
  node.faults.forge = ({ method, params }, result) => {
    const { response } = result as { response: JsonObject };
    if (method === 'abci_info') return { response: { ...response, version } };
    if (!JSON.stringify(params ?? null).includes('FileDescriptors')) return result;
    const set = fromBinary(FileDescriptorSetSchema, Buffer.from(String(response.value), 'base64'));
    change(set);
    return { response: { ...response, value: Buffer.from(toBinary(FileDescriptorSetSchema, set)).toString('base64') } };
  };
  // A node that restarts closes its connections.
  node.closeSockets();
}

/** A message of a file of descriptors. */
export const messageIn = (set: FileDescriptorSet, file: string, name: string): DescriptorProto =>
  set.file.find((each) => each.name === file)!.messageType.find((each) => each.name === name)!;

/** A new field of type bool. */
export function boolField(name: string, jsonName: string, number: number): FieldDescriptorProto {
  return create(FieldDescriptorProtoSchema, {
    ...{ name, jsonName, number },
    ...{ type: FieldDescriptorProto_Type.BOOL, label: FieldDescriptorProto_Label.OPTIONAL },
  });
}
