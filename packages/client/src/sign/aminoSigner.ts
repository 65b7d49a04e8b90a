import { create, fromBinary, type Registry, toBinary } from '@bufbuild/protobuf';
import { aminoRules } from '../gen/aminoRules.ts';
import { CoinSchema } from '../gen/proto/cosmos/base/v1beta1/coin_pb.js';
import { SignMode } from '../gen/proto/cosmos/tx/signing/v1beta1/signing_pb.js';
import { AuthInfoSchema, FeeSchema, ModeInfoSchema, TxBodySchema } from '../gen/proto/cosmos/tx/v1beta1/tx_pb.js';
import { type AminoDocument, aminoDocument } from './amino.ts';
import { knownMessages } from './json.ts';
import type { SignDocument, SignedDocument } from './signers.ts';

/** Asks a key to sign a document as Amino JSON. Resolves with the document that was signed, which a wallet may have changed, and 64 bytes. */
export type AminoSign = (
  document: AminoDocument,
) => Promise<{ readonly signed: AminoDocument; readonly signature: Uint8Array }>;

/**
 * Signs a transaction as Amino JSON instead of its bytes, as a Ledger needs it. `registry` has the descriptors of its messages, by default
 * {@link knownMessages}.
 */
export async function signAmino(
  document: SignDocument,
  registry: Registry | undefined,
  sign: AminoSign,
): Promise<SignedDocument> {
  const body = fromBinary(TxBodySchema, document.bodyBytes);
  const authInfo = fromBinary(AuthInfoSchema, document.authInfoBytes);
  const { chainId, accountNumber } = document;
  const sequence = authInfo.signerInfos[0]?.sequence ?? 0n;
  const types = { registry: registry ?? knownMessages, rules: aminoRules };
  const { signed, signature } = await sign(
    aminoDocument({ ...body, fee: authInfo.fee }, { chainId, accountNumber, sequence }, types),
  );
  // The owner can change the fee and the memo in the wallet. The messages are those that were asked for: with others the signature is not valid.
  const { amount, gas, payer = '', granter = '' } = signed.fee;
  const modeInfo = create(ModeInfoSchema, { sum: { case: 'single', value: { mode: SignMode.LEGACY_AMINO_JSON } } });
  const signedInfo = create(AuthInfoSchema, {
    signerInfos: authInfo.signerInfos.map((info) => ({ ...info, modeInfo })),
    fee: create(FeeSchema, {
      amount: amount.map((coin) => create(CoinSchema, { ...coin })),
      gasLimit: BigInt(gas),
      payer,
      granter,
    }),
  });
  return {
    bodyBytes: toBinary(TxBodySchema, { ...body, memo: signed.memo }),
    authInfoBytes: toBinary(AuthInfoSchema, signedInfo),
    signature,
  };
}
