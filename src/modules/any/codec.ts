import { createRegistry, type Registry } from '@bufbuild/protobuf';
import type { Any } from '@bufbuild/protobuf/wkt';
import { isChainError } from '../../chain/base/errors.ts';
import type { Descriptors } from '../../chain/descriptors/descriptors.ts';
import type { JsonValue } from '../../chain/wire/json.ts';
import type { AnyMessage } from '../../chain/wire/protoJson.ts';
import { file_cosmos_auth_v1beta1_auth } from '../../proto/cosmos/auth/v1beta1/auth_pb.js';
import { file_cosmos_bank_v1beta1_tx } from '../../proto/cosmos/bank/v1beta1/tx_pb.js';
import { file_cosmos_crypto_secp256k1_keys } from '../../proto/cosmos/crypto/secp256k1/keys_pb.js';
import { file_cosmos_group_v1_tx } from '../../proto/cosmos/group/v1/tx_pb.js';
import { file_cosmos_tx_v1beta1_tx } from '../../proto/cosmos/tx/v1beta1/tx_pb.js';
import { type Awaitable, andThen, type Pin } from '../../reads/pin.ts';

/** The types that are compiled in. They are always the same object, because the JSON of messages is kept for one set of types. */
const compiledTypes: Registry = createRegistry(
  file_cosmos_auth_v1beta1_auth,
  file_cosmos_bank_v1beta1_tx,
  file_cosmos_crypto_secp256k1_keys,
  file_cosmos_group_v1_tx,
  file_cosmos_tx_v1beta1_tx,
);

/** Converts an `Any` of the generated code. */
export function fromAny(any: Any): AnyMessage {
  return { type: any.typeUrl, value: any.value };
}

/**
 * The types to decode messages with: those that the chain describes, or, if its nodes serve no descriptions, the types of auth,
 * bank, group and tx that are compiled in. Fails with NODE_… if no node can be reached.
 * Returned at once if they are loaded.
 */
export function typesOf(pin: Pin): Awaitable<Registry> {
  const { descriptors } = pin;
  return descriptors.current()?.registry ?? loadedTypes(descriptors, pin.signal);
}

async function loadedTypes(descriptors: Descriptors, signal: AbortSignal | undefined): Promise<Registry> {
  try {
    return (await descriptors.pool({ signal })).registry;
  } catch (error) {
    if (isChainError(error, 'ABCI_QUERY_FAILED')) return compiledTypes;
    throw error;
  }
}

/** A message in canonical protobuf JSON, with `@type`; null if its type is unknown or its bytes are invalid. */
export function decodeAny(pin: Pin, message: AnyMessage): Awaitable<JsonValue> {
  return andThen(typesOf(pin), (types) => pin.descriptors.json(types, message));
}
