import { createRegistry, type DescField, type DescMessage, ScalarType } from '@bufbuild/protobuf';
import { file_cosmos_authz_v1beta1_tx as authz } from '../../../src/proto/cosmos/authz/v1beta1/tx_pb.js';
import { file_cosmos_bank_v1beta1_tx as bank } from '../../../src/proto/cosmos/bank/v1beta1/tx_pb.js';
import { file_cosmos_distribution_v1beta1_tx as distribution } from '../../../src/proto/cosmos/distribution/v1beta1/tx_pb.js';
import { file_cosmos_feegrant_v1beta1_tx as feegrant } from '../../../src/proto/cosmos/feegrant/v1beta1/tx_pb.js';
import { file_cosmos_gov_v1_tx as gov } from '../../../src/proto/cosmos/gov/v1/tx_pb.js';
import { file_cosmos_group_v1_tx as group } from '../../../src/proto/cosmos/group/v1/tx_pb.js';
import { file_cosmos_group_v1_types as groupTypes } from '../../../src/proto/cosmos/group/v1/types_pb.js';
import { file_cosmos_staking_v1beta1_tx as staking } from '../../../src/proto/cosmos/staking/v1beta1/tx_pb.js';
import { file_cosmwasm_wasm_v1_tx as wasm } from '../../../src/proto/cosmwasm/wasm/v1/tx_pb.js';
import { file_provenance_attribute_v1_tx as attribute } from '../../../src/proto/provenance/attribute/v1/tx_pb.js';
import { file_provenance_exchange_v1_tx as exchange } from '../../../src/proto/provenance/exchange/v1/tx_pb.js';
import { file_provenance_marker_v1_tx as marker } from '../../../src/proto/provenance/marker/v1/tx_pb.js';
import { file_provenance_metadata_v1_tx as metadata } from '../../../src/proto/provenance/metadata/v1/tx_pb.js';
import { file_provenance_name_v1_tx as name } from '../../../src/proto/provenance/name/v1/tx_pb.js';
import type { MessageJson } from './messages.ts';

// This file is loaded with the first message that is neither a payment nor an action of a member.

const files = [bank, group, marker, attribute, name, wasm, staking, distribution, gov, authz, feegrant, exchange, metadata];

/** The types of the messages of the chain that Stele has descriptors of. */
export const descriptors = createRegistry(...files, groupTypes);

/** The types of messages that a proposal can have, such as `/cosmos.bank.v1beta1.MsgSend`, by module. */
export const messageTypes: readonly string[] = files.flatMap((file) =>
  file.messages.filter((each) => /^Msg(?!.*Response$)/.test(each.name)).map(({ typeName }) => `/${typeName}`),
);

/** The fields that name who acts: a proposal is signed by its policy. */
const signers = /^(from_address|sender|admin|administrator|authority|owner|delegator_address|proposer|granter|signer|caller)$/;

function emptyField(field: DescField, policy: string, depth: number): unknown {
  if (field.fieldKind === 'list') {
    // What can have any type is left to the visitor.
    if (field.listKind === 'message' && depth < 3 && field.message.typeName !== 'google.protobuf.Any')
      return [emptyMessage(field.message, policy, depth + 1)];
    return [];
  }
  if (field.fieldKind === 'map') return {};
  if (field.fieldKind === 'enum') return field.enum.values[0]?.name ?? '';
  if (field.fieldKind === 'message')
    return field.message.typeName === 'google.protobuf.Any' || depth >= 3 ? {} : emptyMessage(field.message, policy, depth + 1);
  if (field.scalar === ScalarType.BOOL) return false;
  if (field.scalar === ScalarType.BYTES && field.parent.file.proto.package === 'cosmwasm.wasm.v1') return {};
  if (field.scalar !== ScalarType.STRING && field.scalar !== ScalarType.BYTES) return '0';
  return depth === 0 && signers.test(field.name) ? policy : '';
}

function emptyMessage({ fields, typeName }: DescMessage, policy: string, depth: number): unknown {
  if (typeName === 'google.protobuf.Timestamp') return '2030-01-01T00:00:00Z';
  if (typeName === 'google.protobuf.Duration') return '0s';
  return Object.fromEntries(fields.map((field) => [field.name, emptyField(field, policy, depth)]));
}

/** A message of a type as JSON to fill in, with the policy as its signer. undefined if the type has no descriptor. */
export function templateOf(type: string, policy: string): string | undefined {
  const schema = descriptors.getMessage(type.slice(1));
  if (schema === undefined) return undefined;
  return JSON.stringify({ '@type': type, ...Object(emptyMessage(schema, policy, 0)) }, null, 2);
}

/**
 * The message with the text of contract messages as bytes. They are JSON in what people write and in what a rehearsal takes, and base64 in protobuf
 * JSON.
 */
export function withBytes(message: MessageJson): MessageJson {
  const isContract = message['@type'].startsWith('/cosmwasm.wasm.v1.');
  const { msg, messages } = message;
  return {
    ...message,
    ...(isContract &&
      typeof msg === 'object' && { msg: btoa(String.fromCharCode(...new TextEncoder().encode(JSON.stringify(msg)))) }),
    ...(Array.isArray(messages) && { messages: messages.map((each) => ('@type' in Object(each) ? withBytes(each) : each)) }),
  };
}
