import { fromBinary, toJson } from '@bufbuild/protobuf';
import { bech32 } from '@scure/base';
import { type DecodedTx, secp256k1Type } from '../../chain/decodedTx.ts';
import { PubKeySchema } from '../../proto/cosmos/crypto/secp256k1/keys_pb.js';
import { ModeInfoSchema } from '../../proto/cosmos/tx/v1beta1/tx_pb.js';
import { type AnyCodec, type AnyMessage, fromAny } from '../any/codec.ts';
import { addressBytes } from '../input.ts';

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
