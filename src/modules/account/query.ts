import { type DescMessage, fromBinary, type MessageShape } from '@bufbuild/protobuf';
import { type Any, anyUnpack } from '@bufbuild/protobuf/wkt';
import { bech32 } from '@scure/base';
import { isChainError } from '../../chain/base/errors.ts';
import type { Descriptors } from '../../chain/descriptors/descriptors.ts';
import type { StateAt } from '../../chain/state/state.ts';
import type { AnyMessage } from '../../chain/wire/protoJson.ts';
import {
  type BaseAccount,
  BaseAccountSchema,
  ModuleAccountSchema,
  ModuleCredentialSchema,
} from '../../proto/cosmos/auth/v1beta1/auth_pb.js';
import { Query } from '../../proto/cosmos/auth/v1beta1/query_pb.js';
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
import { badInput } from '../../reads/errors.ts';
import { addressBytes, addressInput } from '../../reads/input.ts';
import { type Awaitable, andThen, lazyLoaders, type Pin, ReadOnce, weakMemo } from '../../reads/pin.ts';
import { stateRead, stateReadOrNull, valueOnce } from '../../reads/query.ts';
import type { PublicKey } from '../../schema/builder.ts';
import { fromAny } from '../any/codec.ts';

/** The kinds of accounts. */
export const accountKinds = ['BASE', 'MODULE', 'GROUP_POLICY', 'MARKER', 'VESTING', 'OTHER'] as const;

/** What every type of account has. Null for an account of a type that this server does not support. */
interface AccountInfo {
  readonly accountNumber: bigint | null;
  readonly sequence: bigint | null;
  readonly publicKey: PublicKey | null;
}

/** The kinds of accounts. */
type AccountKind = (typeof accountKinds)[number];

/**
 * An account as the chain stores it. For a type that this server does not support, only `kind` and `any` are set: {@link withInfo} adds what the chain
 * returns of it.
 */
export interface StoredAccount extends AccountInfo {
  readonly kind: AccountKind;
  readonly any: AnyMessage;
  readonly moduleName: string | null;
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

const noInfo: AccountInfo = { accountNumber: null, sequence: null, publicKey: null };

function infoOf({ accountNumber, sequence, pubKey }: BaseAccount): AccountInfo {
  return { accountNumber, sequence, publicKey: keyOf(pubKey) };
}

/** Decodes an account. */
export function accountFromWire(any: Any): StoredAccount {
  const stored = (kind: AccountKind, base: BaseAccount | undefined, moduleName: string | null = null): StoredAccount => ({
    kind,
    any: fromAny(any),
    moduleName,
    ...(base === undefined ? noInfo : infoOf(base)),
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

const storedAccount = stateReadOrNull({
  method: Query.method.account,
  request: (address: string) => ({ address }),
  value: ({ account }): StoredAccount | null => (account ? accountFromWire(account) : null),
  absences: [],
});

/** The account at an address; null if none exists. */
function readAccount(state: StateAt, address: string): Awaitable<StoredAccount | null> {
  // A scope has an address but no account, and the chain rejects the query.
  return address.startsWith('scope1') ? null : storedAccount(state, address);
}

/** The number, sequence and key of an account of any type; null if none exists. */
const storedInfo = stateReadOrNull({
  method: Query.method.accountInfo,
  request: (address: string) => ({ address }),
  value: ({ info }): AccountInfo | null => (info ? infoOf(info) : null),
  absences: [],
});

/** The bech32 prefix of account addresses. */
export const readBech32Prefix = stateRead({
  method: Query.method.bech32Prefix,
  request: () => ({}),
  value: (answer): string => answer.bech32Prefix,
});

export const createAccountLoaders = lazyLoaders({
  account: valueOnce(readAccount),
  info: valueOnce(storedInfo),
  /** The bech32 prefix of account addresses. */
  prefix: ({ state }) => new ReadOnce((_: '') => readBech32Prefix(state)),
});

/** The account with its number, sequence and key, which are read if this server does not support its type. */
export function withInfo(pin: Pin, address: string, stored: StoredAccount): Awaitable<StoredAccount> {
  if (stored.kind !== 'OTHER') return stored;
  return andThen(pin.loaders(createAccountLoaders).info.load(address), (info) => ({ ...stored, ...info }));
}

/**
 * The prefix of account addresses by chain, once it has been read. Before, addresses with the prefix of test networks (docs/chain.md, "Addresses and
 * denominations") pass without a read; the chain itself refuses them if it has another one.
 */
const prefixOf = weakMemo((_: Descriptors): { text: string } => ({ text: 'tp' }));

/** Prefixes of addresses that are no accounts but have attributes and balances: those of the metadata module. */
const metadataPrefixes: readonly string[] = ['scope', 'session', 'record', 'contractspec', 'scopespec', 'recspec'];

/** The prefix that the chain reports; undefined if its nodes do not serve the query. */
async function readPrefix(pin: Pin): Promise<string | undefined> {
  try {
    const prefix = await pin.loaders(createAccountLoaders).prefix.load('');
    prefixOf(pin.descriptors).text = prefix;
    return prefix;
  } catch (error) {
    if (isChainError(error, 'ABCI_QUERY_FAILED')) return undefined;
    throw error;
  }
}

/** What an address is that does not begin with the prefix of the chain's accounts, as the end of the sentence "must be …". */
function boundOf(address: string, ownPrefix: string, prefix: string): string {
  const expected = `an address of an account of this chain (\`${prefix}1…\`)`;
  const bytes = addressBytes(address) ?? new Uint8Array();
  if (ownPrefix === `${prefix}valoper`) {
    return `${expected}; \`${ownPrefix}1…\` is a validator, whose account is \`${bech32.encode(prefix, bech32.toWords(bytes), 128)}\``;
  }
  if (ownPrefix === `${prefix}valcons`) {
    const hex = Buffer.from(bytes).toString('hex').toUpperCase();
    return `${expected}; \`${ownPrefix}1…\` is the consensus key of a validator, whose address is \`${hex}\` in hexadecimal`;
  }
  return `${expected}; \`${ownPrefix}1…\` is an address of another chain`;
}

/**
 * An address of the chain in lower case: of an account, or of the metadata module (`scope1…`). Text that is no address, an address of another chain
 * and that of a validator are BAD_USER_INPUT; the error names both prefixes, and the account of the validator. Reads the chain's prefix only if the
 * address has another one than expected. Fails with NODE_… if that is needed and no node can be reached.
 */
export function accountInput(pin: Pin, argument: string, value: string): Awaitable<string> {
  const address = addressInput(argument, value);
  const ownPrefix = address.slice(0, address.lastIndexOf('1'));
  if (ownPrefix === prefixOf(pin.descriptors).text || metadataPrefixes.includes(ownPrefix)) return address;
  return andThen(readPrefix(pin), (prefix) => {
    if (prefix === undefined || prefix === ownPrefix) return address;
    throw badInput(argument, value, boundOf(address, ownPrefix, prefix));
  });
}

/** Checks several optional addresses as {@link accountInput} does, by the names of their arguments. */
export async function checkAccounts(pin: Pin, addresses: Readonly<Record<string, string | null | undefined>>): Promise<void> {
  for (const [argument, value] of Object.entries(addresses)) if (value != null) await accountInput(pin, argument, value);
}
