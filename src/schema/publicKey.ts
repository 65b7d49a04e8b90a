import { type Builder, createRef } from './builder.ts';

/** A public key: `type` as on the wire (`tendermint/PubKeyEd25519`), `value` in base64. */
export interface PublicKey {
  readonly type: string;
  readonly value: string;
}

/** The public key of a validator or an account. */
export const PublicKeyRef = createRef<PublicKey>('PublicKey');

/** Adds `PublicKey`. */
export function addPublicKey(builder: Builder): void {
  builder.objectType(PublicKeyRef, {
    description: 'A public key.',
    fields: (t) => ({
      type: t.exposeString('type', {
        nullable: false,
        description: 'As on the wire: `/cosmos.crypto.secp256k1.PubKey`, `tendermint/PubKeyEd25519`, …',
      }),
      value: t.expose('value', {
        type: 'Base64',
        nullable: false,
        description: 'The bytes of the key; for a composite key (multisig, module credential), its protobuf bytes.',
      }),
    }),
  });
}
