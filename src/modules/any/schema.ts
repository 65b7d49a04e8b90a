import type { AnyMessage } from '../../chain/wire/protoJson.ts';
import { type Pinned, pinned, pinOf } from '../../reads/pin.ts';
import { type Builder, createRef } from '../../schema/builder.ts';
import { ofSent } from '../../schema/scopes.ts';
import { decodeAny } from './codec.ts';
import { addModules } from './moduleSchema.ts';

/** A protobuf message inside another. */
export const AnyMessageRef = createRef<Pinned<AnyMessage>>('AnyMessage');

/** A message under the pin of the object that holds it. */
export function anyOf(parent: Pinned<object>, message: AnyMessage): Pinned<AnyMessage> {
  return pinned(pinOf(parent), message);
}

/** Adds `AnyMessage`, and the queries of any module. */
export function addAny(builder: Builder): void {
  builder.objectType(AnyMessageRef, {
    description: 'A protobuf message inside another (`Any`): what a transaction or proposal does.',
    fields: (t) => ({
      type: t.exposeString('type', {
        extensions: ofSent,
        nullable: false,
        description: 'Protobuf type, such as `/cosmos.bank.v1beta1.MsgSend`.',
      }),
      value: t.expose('value', {
        extensions: ofSent,
        type: 'Base64',
        nullable: false,
        description: "The message's bytes, as on the wire.",
      }),
      json: t.field({
        extensions: ofSent,
        type: 'JSON',
        description: "Decoded by the chain's own description; null when the chain does not describe the type.",
        resolve: (message) => decodeAny(pinOf(message), message),
      }),
    }),
  });
  addModules(builder);
}
