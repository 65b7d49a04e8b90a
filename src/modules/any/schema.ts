import { type Builder, createRef } from '../../graphql/builder.ts';
import type { AnyMessage } from './codec.ts';

/** A protobuf message inside another. */
export const AnyMessageRef = createRef<AnyMessage>('AnyMessage');

/** Adds `AnyMessage`. */
export function addAny(builder: Builder): void {
  builder.objectType(AnyMessageRef, {
    description: 'A protobuf message inside another (`Any`): what a transaction or proposal does.',
    fields: (t) => ({
      type: t.exposeString('type', { nullable: false, description: 'Protobuf type, such as `/cosmos.bank.v1beta1.MsgSend`.' }),
      value: t.expose('value', { type: 'Base64', nullable: false, description: "The message's bytes, as on the wire." }),
      json: t.field({
        type: 'JSON',
        description: "Decoded by the chain's own description; null when the chain does not describe the type.",
        resolve: (message, _args, { anyCodec }) => anyCodec.toJson(message),
      }),
    }),
  });
}
