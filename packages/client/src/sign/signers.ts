import { create, toBinary } from '@bufbuild/protobuf';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { SignDocSchema } from '../gen/proto/cosmos/tx/v1beta1/tx_pb.js';

/** What a transaction is signed over (SIGN_MODE_DIRECT). */
export interface SignDocument {
  readonly bodyBytes: Uint8Array;
  readonly authInfoBytes: Uint8Array;
  readonly chainId: string;
  readonly accountNumber: bigint;
}

/** What a signer returns. A wallet may have changed the document, for example the fee. */
export interface SignedDocument {
  readonly bodyBytes: Uint8Array;
  readonly authInfoBytes: Uint8Array;
  /** 64 bytes. */
  readonly signature: Uint8Array;
}

/** A key that can sign. */
export interface Signer {
  readonly address: string;
  /** secp256k1, compressed, 33 bytes. */
  readonly publicKey: Uint8Array;
  /** Rejects if the owner refuses. */
  sign(document: SignDocument): Promise<SignedDocument>;
}

/** The signer of a private key of 32 bytes, for programs and development chains. `address` is that of the key. */
export function createKeySigner(privateKey: Uint8Array, address: string): Signer {
  return {
    address,
    publicKey: secp256k1.getPublicKey(privateKey, true),
    async sign({ bodyBytes, authInfoBytes, chainId, accountNumber }) {
      const document = create(SignDocSchema, { bodyBytes, authInfoBytes, chainId, accountNumber });
      const signature = secp256k1.sign(toBinary(SignDocSchema, document), privateKey, { prehash: true, lowS: true });
      return { bodyBytes, authInfoBytes, signature };
    },
  };
}
