import { create, createRegistry, type Registry, toJson } from '@bufbuild/protobuf';
import { type Any, AnySchema } from '@bufbuild/protobuf/wkt';
import { file_cosmos_bank_v1beta1_tx } from '../../proto/cosmos/bank/v1beta1/tx_pb.js';
import { file_cosmos_group_v1_tx } from '../../proto/cosmos/group/v1/tx_pb.js';
import { file_cosmos_group_v1_types } from '../../proto/cosmos/group/v1/types_pb.js';

/** A protobuf message inside another: its type URL (`/cosmos.bank.v1beta1.MsgSend`) and its bytes as on the wire. */
export interface AnyMessage {
  readonly type: string;
  readonly value: Uint8Array;
}

/** An `Any` from the wire. */
export function fromAny(any: Any): AnyMessage {
  return { type: any.typeUrl, value: any.value };
}

/** Turns messages into canonical protobuf JSON. */
export interface AnyCodec {
  /** The message with `@type` in it, defaults written; null when its type, or one within it, is not known, or its bytes are not of it. */
  toJson(message: AnyMessage): unknown;
}

/** A codec of the types in `registry`; without one, those that this server was compiled with. */
export function createAnyCodec(registry: Registry = compiledTypes()): AnyCodec {
  return {
    toJson({ type, value }) {
      try {
        return toJson(AnySchema, create(AnySchema, { typeUrl: type, value }), { registry, alwaysEmitImplicit: true });
      } catch {
        return null;
      }
    },
  };
}

function compiledTypes(): Registry {
  return createRegistry(file_cosmos_bank_v1beta1_tx, file_cosmos_group_v1_tx, file_cosmos_group_v1_types);
}
