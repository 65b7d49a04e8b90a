import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { type Any, AnySchema } from '@bufbuild/protobuf/wkt';
import { type Nanoseconds, toSecondsAndNanos } from '../../chain/base/time.ts';
import { ModuleCredentialSchema } from '../../proto/cosmos/auth/v1beta1/auth_pb.js';
import { LegacyAminoPubKeySchema } from '../../proto/cosmos/crypto/multisig/keys_pb.js';
import { SignMode } from '../../proto/cosmos/tx/signing/v1beta1/signing_pb.js';
import {
  AuthInfoSchema,
  type ModeInfo,
  ModeInfoSchema,
  TxBodySchema,
  TxRawSchema,
} from '../../proto/cosmos/tx/v1beta1/tx_pb.js';
import type { StoredAccount } from '../account/query.ts';

// The transaction in which a rehearsal runs. It has no signatures, and a node that simulates checks none (docs/rehearsal.md).

/** A message of the transaction, with those who would have to sign it. */
export interface Step {
  readonly message: Any;
  readonly signers: readonly string[];
}

/** A message of a type with its generated schema, as an `Any`. */
export function packed(type: string, value: Uint8Array): Any {
  return create(AnySchema, { typeUrl: `/${type}`, value });
}

/** Whether a node simulates what this account would sign: accounts of modules, markers and group policies have no key that can. */
export function canSign(account: StoredAccount | null): boolean {
  if (account === null || account.kind === 'MODULE' || account.kind === 'MARKER' || account.kind === 'GROUP_POLICY')
    return false;
  return account.publicKey?.type !== `/${ModuleCredentialSchema.typeName}`;
}

/** The mode of an account's signature. Only a multisig whose key is on chain needs another one than a single key. */
function modeOf(account: StoredAccount | null): ModeInfo {
  const key = account?.publicKey;
  if (key?.type !== `/${LegacyAminoPubKeySchema.typeName}`)
    return create(ModeInfoSchema, { sum: { case: 'single', value: { mode: SignMode.DIRECT } } });
  const keys = fromBinary(LegacyAminoPubKeySchema, Buffer.from(key.value, 'base64')).publicKeys.length;
  const bitarray = { extraBitsStored: keys % 8, elems: new Uint8Array(Math.max(1, Math.ceil(keys / 8))) };
  return create(ModeInfoSchema, { sum: { case: 'multi', value: { bitarray, modeInfos: [] } } });
}

/** How long after the newest block the transaction would be valid. A chain refuses more than five minutes; a node that is behind has an older block. */
const life: Nanoseconds = 150_000_000_000n;

/**
 * An unordered transaction, so that no sequence has to be known: for each signer an entry without a key and an empty signature, and a fee that
 * is present and empty. `time` is that of the newest block.
 */
export function envelope(
  steps: readonly Step[],
  accounts: ReadonlyMap<string, StoredAccount | null>,
  time: Nanoseconds,
): Uint8Array {
  const signers = [...new Set(steps.flatMap((step) => step.signers))];
  const body = create(TxBodySchema, {
    messages: steps.map(({ message }) => message),
    unordered: true,
    timeoutTimestamp: toSecondsAndNanos(time + life),
  });
  const authInfo = create(AuthInfoSchema, {
    signerInfos: signers.map((signer) => ({ modeInfo: modeOf(accounts.get(signer) ?? null) })),
    fee: {},
  });
  return toBinary(
    TxRawSchema,
    create(TxRawSchema, {
      bodyBytes: toBinary(TxBodySchema, body),
      authInfoBytes: toBinary(AuthInfoSchema, authInfo),
      signatures: signers.map(() => new Uint8Array()),
    }),
  );
}
