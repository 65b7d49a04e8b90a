import { createRegistry, fromBinary, fromJson, isMessage, type JsonValue, type Registry, toBinary } from '@bufbuild/protobuf';
import { AnySchema } from '@bufbuild/protobuf/wkt';
import { MsgMultiSendSchema, MsgSendSchema } from '../gen/proto/cosmos/bank/v1beta1/tx_pb.js';
import {
  MsgExecSchema,
  MsgLeaveGroupSchema,
  MsgSubmitProposalSchema,
  MsgVoteSchema,
  MsgWithdrawProposalSchema,
} from '../gen/proto/cosmos/group/v1/tx_pb.js';
import type { Message } from './messages.ts';

/** A message as protobuf JSON, as wallets and the command line of the chain take it. */
export type MessageJson = { readonly '@type': string } & { readonly [key: string]: MessageValue };

type MessageValue = string | number | boolean | null | readonly MessageValue[] | { readonly [key: string]: MessageValue };

/** The messages that {@link encodeJson} knows without further descriptors. */
export const knownMessages: Registry = createRegistry(
  ...[MsgVoteSchema, MsgExecSchema, MsgSubmitProposalSchema, MsgWithdrawProposalSchema, MsgLeaveGroupSchema],
  ...[MsgSendSchema, MsgMultiSendSchema],
);

/** Replaces the type URLs that protobuf JSON makes: the chain knows types by `/name`, without a host, also in messages within messages. */
function withChainTypes(value: unknown, registry: Registry): void {
  if (isMessage(value, AnySchema)) {
    const name = value.typeUrl.slice(value.typeUrl.lastIndexOf('/') + 1);
    value.typeUrl = `/${name}`;
    const schema = registry.getMessage(name);
    if (schema === undefined) return;
    const inner = fromBinary(schema, value.value);
    withChainTypes(inner, registry);
    value.value = toBinary(schema, inner);
  } else if (typeof value === 'object' && value !== null && !(value instanceof Uint8Array))
    for (const each of Object.values(value)) withChainTypes(each, registry);
}

/**
 * Encodes a message that is protobuf JSON. `registry` has the descriptors of its type and of those within it, by default {@link knownMessages}. Throws if
 * the type has none, or the JSON does not fit it.
 */
export function encodeJson({ '@type': typeUrl, ...fields }: MessageJson, registry: Registry = knownMessages): Message {
  const schema = registry.getMessage(typeUrl.slice(typeUrl.lastIndexOf('/') + 1));
  if (schema === undefined) throw new Error(`There is no descriptor of ${typeUrl}.`);
  const json: JsonValue = JSON.parse(JSON.stringify(fields));
  const message = fromJson(schema, json, { registry });
  withChainTypes(message, registry);
  return { typeUrl: `/${schema.typeName}`, value: toBinary(schema, message) };
}
