import type { AnyMessage } from '../../chain/wire/protoJson.ts';
import { type Pinned, pinned, pinOf } from '../../reads/pin.ts';
import { type Builder, createRef, readableWithBroadcast } from '../../schema/builder.ts';
import { decodeAny } from './codec.ts';
import { addModules } from './moduleSchema.ts';

/** A protobuf message inside another (`Any`). */
export const AnyMessageRef = createRef<Pinned<AnyMessage>>('AnyMessage');

/** A message under the pin of `parent`. */
export function anyOf(parent: Pinned<object>, message: AnyMessage): Pinned<AnyMessage> {
  return pinned(pinOf(parent), message);
}

/** Adds `AnyMessage`, `Query.module` and `Query.modules`. */
export function addAny(builder: Builder): void {
  builder.objectType(AnyMessageRef, {
    description: 'A protobuf message inside another (`Any`), such as a message of a transaction or proposal.',
    fields: (t) => ({
      type: t.exposeString('type', {
        extensions: readableWithBroadcast,
        nullable: false,
        description: 'The protobuf type, such as `/cosmos.bank.v1beta1.MsgSend`.',
      }),
      value: t.expose('value', {
        extensions: readableWithBroadcast,
        type: 'Base64',
        nullable: false,
        description: 'The bytes of the message on the wire.',
      }),
      json: t.field({
        extensions: readableWithBroadcast,
        type: 'JSON',
        description:
          'The decoded message, in protobuf JSON with decimals and contract messages as in `Query.module`; null if the chain does not describe its type.',
        resolve: (message) => decodeAny(pinOf(message), message),
      }),
    }),
  });
  addModules(builder);
}
