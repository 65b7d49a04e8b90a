import { type DescMessage, fromBinary, type MessageShape } from '@bufbuild/protobuf';
import { type Any, anyUnpack } from '@bufbuild/protobuf/wkt';
import type { AnyMessage } from '../../chain/wire/protoJson.ts';
import {
  type BaseAccount,
  BaseAccountSchema,
  ModuleAccountSchema,
  ModuleCredentialSchema,
} from '../../proto/cosmos/auth/v1beta1/auth_pb.js';
import { PubKeySchema as Ed25519PubKeySchema } from '../../proto/cosmos/crypto/ed25519/keys_pb.js';
import { PubKeySchema as Secp256k1PubKeySchema } from '../../proto/cosmos/crypto/secp256k1/keys_pb.js';
import {
  type BaseVestingAccount,
  BaseVestingAccountSchema,
  ContinuousVestingAccountSchema,
  DelayedVestingAccountSchema,
  PeriodicVestingAccountSchema,
  PermanentLockedAccountSchema,
} from '../../proto/cosmos/vesting/v1beta1/vesting_pb.js';
import { MarkerAccountSchema } from '../../proto/provenance/marker/v1/marker_pb.js';
import type { PublicKey } from '../../schema/builder.ts';
import { fromAny } from '../any/codec.ts';

/** The kinds of accounts. */
export const accountKinds = ['BASE', 'MODULE', 'GROUP_POLICY', 'MARKER', 'VESTING', 'OTHER'] as const;

/** The kinds of accounts. */
export type AccountKind = (typeof accountKinds)[number];

/** An account as the chain stores it. For a type that this server does not support, only `kind` and `any` are set. */
export interface StoredAccount {
  readonly kind: AccountKind;
  readonly any: AnyMessage;
  readonly moduleName: string | null;
  readonly accountNumber: bigint | null;
  readonly sequence: bigint | null;
  readonly publicKey: PublicKey | null;
  /** For the account of a marker, the denom of the marker; null otherwise. */
  readonly markerDenom: string | null;
}

/** The message in an `Any`; undefined if it has another type or its bytes are invalid. */
function unpack<D extends DescMessage>(any: Any, desc: D): MessageShape<D> | undefined {
  try {
    return anyUnpack(any, desc);
  } catch {
    return undefined;
  }
}

function keyOf(key: Any | undefined): PublicKey | null {
  if (key === undefined) return null;
  const simple = unpack(key, Secp256k1PubKeySchema) ?? unpack(key, Ed25519PubKeySchema);
  return { type: key.typeUrl, value: Buffer.from(simple?.key ?? key.value).toString('base64') };
}

/** Whether the key of an account is a credential of the group module, as for group policies. */
function isGroupPolicy({ pubKey }: BaseAccount): boolean {
  if (pubKey?.typeUrl !== `/${ModuleCredentialSchema.typeName}`) return false;
  return fromBinary(ModuleCredentialSchema, pubKey.value).moduleName === 'group';
}

function vestingBase(any: Any): BaseVestingAccount | undefined {
  const wrapped =
    unpack(any, ContinuousVestingAccountSchema) ??
    unpack(any, DelayedVestingAccountSchema) ??
    unpack(any, PeriodicVestingAccountSchema) ??
    unpack(any, PermanentLockedAccountSchema);
  return wrapped?.baseVestingAccount ?? unpack(any, BaseVestingAccountSchema);
}

/** Decodes an account. */
export function accountFromWire(any: Any): StoredAccount {
  const stored = (kind: AccountKind, base: BaseAccount | undefined, moduleName: string | null = null): StoredAccount => ({
    kind,
    any: fromAny(any),
    moduleName,
    accountNumber: base?.accountNumber ?? null,
    sequence: base?.sequence ?? null,
    publicKey: keyOf(base?.pubKey),
    markerDenom: null,
  });
  const base = unpack(any, BaseAccountSchema);
  if (base !== undefined) return stored(isGroupPolicy(base) ? 'GROUP_POLICY' : 'BASE', base);
  const module = unpack(any, ModuleAccountSchema);
  if (module !== undefined) return stored('MODULE', module.baseAccount, module.name);
  const marker = unpack(any, MarkerAccountSchema);
  if (marker !== undefined) return { ...stored('MARKER', marker.baseAccount), markerDenom: marker.denom };
  const vesting = vestingBase(any);
  if (vesting !== undefined) return stored('VESTING', vesting.baseAccount);
  return stored('OTHER', undefined);
}
