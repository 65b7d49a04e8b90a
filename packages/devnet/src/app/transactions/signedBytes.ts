import { create, toBinary } from '@bufbuild/protobuf';
import { SignMode } from '../../../../../src/proto/cosmos/tx/signing/v1beta1/signing_pb.js';
import { SignDocSchema } from '../../../../../src/proto/cosmos/tx/v1beta1/tx_pb.js';
import { aminoRules } from '../../../../client/src/gen/aminoRules.ts';
import { aminoBytes, aminoDocument } from '../../../../client/src/sign/amino.ts';
import { messageRegistry } from '../runtime/protoFiles.ts';
import type { DecodedTx } from './txBytes.ts';

const types = { registry: messageRegistry, rules: aminoRules };

/**
 * The bytes that a signer signs. undefined for a mode in which no signature is valid.
 *
 * Guess: no recording has a transaction that was signed as Amino JSON. The rules are those of the Cosmos SDK's source. An unordered transaction is refused,
 * because releases differ in what is signed for it.
 */
export function signedBytes(
  { raw: { bodyBytes, authInfoBytes }, body, authInfo }: DecodedTx,
  mode: SignMode,
  signer: { readonly chainId: string; readonly accountNumber: bigint; readonly sequence: bigint },
): Uint8Array | undefined {
  if (mode === SignMode.DIRECT) {
    const { chainId, accountNumber } = signer;
    return toBinary(SignDocSchema, create(SignDocSchema, { bodyBytes, authInfoBytes, chainId, accountNumber }));
  }
  const hasOptions = body.extensionOptions.length > 0 || body.nonCriticalExtensionOptions.length > 0;
  if (mode !== SignMode.LEGACY_AMINO_JSON || hasOptions || body.unordered) return undefined;
  try {
    return aminoBytes(aminoDocument({ ...body, fee: authInfo.fee }, signer, types));
  } catch {
    // A message has no form in Amino JSON.
    return undefined;
  }
}
