import { ModuleAccountSchema, ModuleCredentialSchema } from '../../../../../src/proto/cosmos/auth/v1beta1/auth_pb.js';
import { LegacyAminoPubKeySchema } from '../../../../../src/proto/cosmos/crypto/multisig/keys_pb.js';
import { MarkerAccountSchema } from '../../../../../src/proto/provenance/marker/v1/marker_pb.js';
import { readAccount, readAnyAccount } from '../keepers/base/auth.ts';
import { findGrant } from '../keepers/feegrant/state.ts';
import { abciError, PlainError } from '../runtime/abciErrors.ts';
import { decodeAddress } from '../runtime/address.ts';
import { feeDenom } from '../runtime/coins.ts';
import type { Context } from '../runtime/context.ts';
import type { Fees } from './fees.ts';
import type { DecodedTx } from './txBytes.ts';

/** The most gas of a block, and of a transaction of a chain with flat fees. */
const mostGas = { block: 60_000_000n, tx: 4_000_000n } as const;

/** The most keys among the signer infos. */
const mostKeys = 7;

/** What a panic in a handler becomes. The stack of a node is left out. */
function panic(text: string): Error {
  return abciError('panic', `recovered: ${text}\nstack:\n`);
}

/** Checks the form of a simulated transaction with the errors of a node, before anything is read (recorded: A2). */
export function checkForm(tx: DecodedTx, isFlat: boolean): void {
  const { fee, signerInfos } = tx.authInfo;
  if (fee === undefined) throw panic('runtime error: invalid memory address or nil pointer dereference');
  const { gasLimit } = fee;
  if (gasLimit > mostGas.block)
    throw abciError('invalidGasLimit', `tx gas limit ${gasLimit} exceeds block max gas ${mostGas.block}`);
  if (isFlat && gasLimit > mostGas.tx)
    throw abciError('invalidGasLimit', `tx gas limit ${gasLimit} exceeds tx max gas ${mostGas.tx}`);
  const signatures = tx.raw.signatures.length;
  if (signatures === 0) throw abciError('noSignatures');
  if (signatures !== tx.signers.length || (signerInfos.length > 0 && signerInfos.length !== signatures)) {
    const infos = Math.min(signatures, signerInfos.length || signatures);
    throw abciError('unauthorized', `wrong number of signers; expected ${tx.signers.length}, got ${infos}`);
  }
}

/**
 * Checks who signs a simulated transaction: the accounts must exist and be of a kind that can have a key, also without a signature (recorded: A2, A3,
 * A5, A9).
 */
export function checkSigners(context: Context, tx: DecodedTx): void {
  const { signerInfos } = tx.authInfo;
  const accounts = tx.signers.map((signer) => {
    const any = readAnyAccount(context, decodeAddress(signer));
    const account = any && readAccount(context, decodeAddress(signer));
    if (any === undefined || account === undefined) throw abciError('unknownAddress', `account ${signer} does not exist`);
    const kind = any.typeUrl.slice(1);
    if (signerInfos.length > 0 && kind === ModuleAccountSchema.typeName)
      throw abciError('invalidPubKey', 'not supported for module accounts');
    if (signerInfos.length > 0 && kind === MarkerAccountSchema.typeName)
      throw abciError('invalidPubKey', 'not supported for marker accounts');
    return account;
  });
  const keys = signerInfos.filter(({ publicKey }) => publicKey !== undefined).length;
  if (keys > mostKeys) throw abciError('tooManySignatures', `signatures: ${keys}, limit: ${mostKeys}`);
  accounts.forEach(({ pubKey }, index) => {
    const mode = signerInfos[index]?.modeInfo?.sum;
    if (signerInfos.length === 0) return;
    if (mode?.case === undefined) throw new PlainError('got empty SignatureData');
    if (pubKey?.typeUrl === `/${ModuleCredentialSchema.typeName}`) {
      if (tx.raw.signatures[index]?.length === 0)
        throw panic('Cannot encode unregistered concrete type types.ModuleCredential.');
      throw abciError('invalidPubKey', 'unrecognized public key type: *types.ModuleCredential');
    }
    if (pubKey?.typeUrl === `/${LegacyAminoPubKeySchema.typeName}` && mode.case !== 'multi')
      throw new PlainError('expected *signing.MultiSignatureData, got, *signing.SingleSignatureData');
  });
  if (signerInfos.length === 0)
    throw abciError('unauthorized', `invalid number of signer;  expected: ${tx.signers.length}, got 0`);
}

/** Checks that a grant pays the fee, if the transaction names one. Nothing is charged. */
export function checkGrant(context: Context, tx: DecodedTx, { payer, grantee, base }: Fees): void {
  if (grantee === undefined || findGrant(context, payer, grantee) !== undefined) return;
  const types = tx.messages.map(({ typeUrl }) => typeUrl);
  const what = `granter: ${payer}, grantee: ${grantee}, fee: "${base}${feeDenom}", msgs: ${JSON.stringify(types)}`;
  throw abciError('notFound', `failed to use fee grant: ${what}: fee-grant not found`);
}

const sdk = 'provenance-io/cosmos-sdk@v0.53.5-pio-2';

/** Where a node makes an error, by its text. The transaction service adds it to the text. */
const places: readonly (readonly [text: RegExp, place: string])[] = [
  [/fee-grant not found|fee limit exceeded|tx parse error/, 'cosmossdk.io/errors@v1.1.0/errors.go:161'],
  [/: invalid gas limit$/, 'cosmossdk.io/errors@v1.1.0/errors.go:165'],
  [/authorization can be given to msg with only one signer$/, `${sdk}/baseapp/baseapp.go:1079`],
  [/: tx timeout height$/, `${sdk}/x/auth/ante/basic.go:213`],
  [/: tx timeout$/, `${sdk}/x/auth/ante/basic.go:221`],
  [/^not supported for (module|marker) accounts/, `${sdk}/x/auth/ante/sigverify.go:109`],
  [/^invalid number of signer;/, `${sdk}/x/auth/ante/sigverify.go:334`],
  [/^sequence is not allowed/, `${sdk}/x/auth/ante/sigverify.go:348`],
  [/^account sequence mismatch/, `${sdk}/x/auth/ante/sigverify.go:364`],
  [/must have timeout_timestamp set/, `${sdk}/x/auth/ante/sigverify.go:429`],
  [/^unordered tx ttl exceeds/, `${sdk}/x/auth/ante/sigverify.go:441`],
  [/: maximum number of signatures exceeded$/, `${sdk}/x/auth/ante/sigverify.go:559`],
  [/^unrecognized public key type/, `${sdk}/x/auth/ante/sigverify.go:599`],
  [/^account \w+ does not exist/, `${sdk}/x/auth/ante/sigverify.go:637`],
  [/^wrong number of signers/, `${sdk}/x/auth/tx/builder.go:122`],
  [/: panic$/, `${sdk}/baseapp/recovery.go:72`],
  [/: insufficient funds$/, `${sdk}/x/bank/keeper/send.go:387`],
  [/: load proposal: not found$/, `${sdk}/x/group/keeper/grpc_query.go:218`],
  [/: not group policy admin: unauthorized$/, `${sdk}/x/group/keeper/msg_server.go:1031`],
  [/: msg \d+: /, `${sdk}/x/group/keeper/msg_server.go:1178`],
  [/: not in group: \w+: unauthorized$/, `${sdk}/x/group/keeper/msg_server.go:581`],
  [/: proposal not open for voting: invalid value$/, `${sdk}/x/group/keeper/msg_server.go:731`],
  [/: voter address: \w+: not found$/, `${sdk}/x/group/keeper/msg_server.go:751`],
  [/: store vote: unique constraint violation$/, `${sdk}/x/group/keeper/msg_server.go:764`],
  [/: not possible to exec with proposal status/, `${sdk}/x/group/keeper/msg_server.go:839`],
  [/msg does not have group policy authorization;/, `${sdk}/x/group/keeper/proposal_executor.go:79`],
];

/** The text of the transaction service for an error of a simulation. */
export function serviceText(log: string, gasUsed: bigint): string {
  const place = places.find(([text]) => text.test(log))?.[1];
  return `${log}${place === undefined ? '' : ` [${place}]`} with gas used: '${gasUsed}'`;
}
