import { fromBinary, toJson } from '@bufbuild/protobuf';
import { ripemd160 } from '@noble/hashes/legacy.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { bech32 } from '@scure/base';
import { PubKeySchema } from '../../proto/cosmos/crypto/secp256k1/keys_pb.js';
import {
  type AuthInfo,
  AuthInfoSchema,
  ModeInfoSchema,
  type TxBody,
  TxBodySchema,
  TxRawSchema,
} from '../../proto/cosmos/tx/v1beta1/tx_pb.js';
import { type AnyCodec, type AnyMessage, fromAny } from '../any/codec.ts';
import { addressBytes } from '../input.ts';

/** What the bytes of a transaction say. */
export interface DecodedTx {
  readonly body: TxBody;
  readonly authInfo: AuthInfo;
  readonly signatures: readonly Uint8Array[];
}

/** Reads the bytes of a transaction; null when they are no Cosmos transaction: body and auth info must be there. */
export function decodeTx(bytes: Uint8Array): DecodedTx | null {
  try {
    const raw = fromBinary(TxRawSchema, bytes);
    if (raw.bodyBytes.length === 0 || raw.authInfoBytes.length === 0 || raw.$unknown) return null;
    return {
      body: fromBinary(TxBodySchema, raw.bodyBytes),
      authInfo: fromBinary(AuthInfoSchema, raw.authInfoBytes),
      signatures: raw.signatures,
    };
  } catch {
    return null;
  }
}

const secp256k1Type = '/cosmos.crypto.secp256k1.PubKey';

/** Address bytes of those who signed; null when one of their keys is not in the transaction or not of secp256k1. */
export function signerBytes({ authInfo }: DecodedTx): readonly Uint8Array[] | null {
  const signers: Uint8Array[] = [];
  for (const { publicKey } of authInfo.signerInfos) {
    if (publicKey?.typeUrl !== secp256k1Type) return null;
    signers.push(ripemd160(sha256(fromBinary(PubKeySchema, publicKey.value).key)));
  }
  return signers;
}

/** An address of the chain with this prefix. */
export function addressText(prefix: string, bytes: Uint8Array): string {
  return bech32.encode(prefix, bech32.toWords(bytes), 128);
}

/**
 * The chain's prefix of addresses, where the transaction proves it: an address in its messages is that of one who signed.
 * undefined when none is.
 */
export function provenPrefix({ body }: DecodedTx, signers: readonly Uint8Array[]): string | undefined {
  for (const { value } of body.messages) {
    const text = Buffer.from(value).toString('latin1');
    for (const [address = ''] of text.matchAll(/[a-z]{1,20}1[02-9ac-hj-np-z]{38}/g)) {
      const bytes = addressBytes(address);
      if (bytes && signers.some((signer) => Buffer.compare(signer, bytes) === 0))
        return address.slice(0, address.lastIndexOf('1'));
    }
  }
  return undefined;
}

/** The messages of a transaction. */
export function messagesOf({ body }: DecodedTx): readonly AnyMessage[] {
  return body.messages.map(fromAny);
}

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');

/** All of a transaction in protobuf JSON. A message or key that the codec does not know is `{"@type", "value"}` with its bytes. */
export function txJson({ body, authInfo, signatures }: DecodedTx, codec: AnyCodec): unknown {
  const any = (message: AnyMessage): unknown =>
    codec.toJson(message) ?? { '@type': message.type, value: base64(message.value) };
  const key = (message: AnyMessage): unknown =>
    message.type === secp256k1Type
      ? { '@type': message.type, key: base64(fromBinary(PubKeySchema, message.value).key) }
      : any(message);
  return {
    body: {
      messages: body.messages.map((message) => any(fromAny(message))),
      memo: body.memo,
      timeoutHeight: body.timeoutHeight.toString(),
    },
    authInfo: {
      signerInfos: authInfo.signerInfos.map(({ publicKey, modeInfo, sequence }) => ({
        publicKey: publicKey ? key(fromAny(publicKey)) : null,
        modeInfo: modeInfo ? toJson(ModeInfoSchema, modeInfo, { alwaysEmitImplicit: true }) : null,
        sequence: sequence.toString(),
      })),
      fee: authInfo.fee
        ? {
            amount: authInfo.fee.amount.map(({ denom, amount }) => ({ denom, amount })),
            gasLimit: authInfo.fee.gasLimit.toString(),
            payer: authInfo.fee.payer,
            granter: authInfo.fee.granter,
          }
        : null,
    },
    signatures: signatures.map(base64),
  };
}
