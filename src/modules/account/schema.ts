import type { AnyMessage } from '../../chain/wire/protoJson.ts';
import { type Awaitable, andThen, type Pinned, pinned, pinOf } from '../../reads/pin.ts';
import { type Builder, createRef, type Fields, nonNull, PublicKeyRef } from '../../schema/builder.ts';
import { addConnection, type Connection } from '../../schema/connection.ts';
import { addEntity, addHeightFields } from '../../schema/entities.ts';
import { decodeAny } from '../any/codec.ts';
import { AnyMessageRef } from '../any/schema.ts';
import { accountInput, createAccountLoaders, type StoredAccount, withInfo } from './query.ts';

/** An address. Modules add the other fields of `Account`. */
export interface Account {
  readonly address: string;
}

/** The entity that other modules extend. */
export const AccountRef = createRef<Pinned<Account>>('Account');
/** A page of accounts. */
export const AccountConnectionRef = createRef<Connection<Pinned<Account>>>('AccountConnection');

/** The account at an address, under the pin of `parent`. */
export function accountOf(parent: Pinned<object>, address: string): Pinned<Account> {
  return pinned(pinOf(parent), { address });
}

/** A field with the account of an address of the object. */
export function accountField<P extends Pinned<object>>(t: Fields<P>, description: string, addressOf: (parent: P) => string) {
  const resolve = (parent: P): Pinned<Account> => accountOf(parent, addressOf(parent));
  return t.field({ type: AccountRef, nullable: false, description, resolve });
}

/** A field with the account of an address of the object; null if it has none. */
export function accountOrNull<P extends Pinned<object>>(
  t: Fields<P>,
  description: string,
  addressOf: (parent: P) => string | null,
) {
  const resolve = (parent: P): Pinned<Account> | null => {
    const address = addressOf(parent);
    return address === null ? null : accountOf(parent, address);
  };
  return t.field({ type: AccountRef, description, resolve });
}

function storedAt(account: Pinned<Account>): Awaitable<StoredAccount | null> {
  return pinOf(account).loaders(createAccountLoaders).account.load(account.address);
}

/** The account with its number, sequence and key, also if this server does not support its type. */
function infoAt(account: Pinned<Account>): Awaitable<StoredAccount | null> {
  return andThen(storedAt(account), (stored) => stored && withInfo(pinOf(account), account.address, stored));
}

/** The contract that a message of the wasm module calls or changes; null for other messages, and for a message that creates a contract. */
function contractOf(message: Pinned<AnyMessage>): Awaitable<Pinned<Account> | null> {
  if (!message.type.startsWith('/cosmwasm.wasm.v1.')) return null;
  return andThen(decodeAny(pinOf(message), message), (json) => {
    const address = typeof json === 'object' && json !== null && !Array.isArray(json) ? json.contract : undefined;
    return typeof address === 'string' && address !== '' ? accountOf(message, address) : null;
  });
}

/** Adds `Account`, `Query.account` and `AnyMessage.contract`. */
export function addAccount(builder: Builder): void {
  const AccountKindRef = builder.enumType('AccountKind', {
    description: 'The kind of an account.',
    values: {
      BASE: { description: 'A base account.' },
      MODULE: {},
      GROUP_POLICY: { description: 'The account of a group policy. Its key is a credential of the group module.' },
      MARKER: { description: 'The escrow account of a marker.' },
      VESTING: {},
      OTHER: { description: 'Another type; see `json`.' },
    },
  });
  builder.objectType(AccountRef, {
    description: 'An address and everything that modules store for it. Each field is read only if it is selected.',
    fields: (t) => ({
      address: t.expose(
        'address',
        nonNull('String', 'The bech32 address of an account or a scope (`scope1…`). Scopes can have attributes too.'),
      ),
      kind: t.field({
        type: AccountKindRef,
        description: 'null if no account exists at this address.',
        resolve: (account) => andThen(storedAt(account), (stored) => stored?.kind ?? null),
      }),
      moduleName: t.string({
        description: 'The module that owns the account, such as `gov`; null for other accounts.',
        resolve: (account) => andThen(storedAt(account), (stored) => stored?.moduleName ?? null),
      }),
      accountNumber: t.field({
        type: 'UInt64',
        description: 'null if no account exists at this address.',
        resolve: (account) => andThen(infoAt(account), (stored) => stored?.accountNumber ?? null),
      }),
      sequence: t.field({
        type: 'UInt64',
        description: 'The sequence of its next transaction; null if no account exists at this address.',
        resolve: (account) => andThen(infoAt(account), (stored) => stored?.sequence ?? null),
      }),
      publicKey: t.field({
        type: PublicKeyRef,
        description: 'null until the account has signed a transaction.',
        resolve: (account) => andThen(infoAt(account), (stored) => stored?.publicKey ?? null),
      }),
      json: t.field({
        type: 'JSON',
        description:
          'The stored account, decoded, with fields such as the vesting schedule and permissions; null if no account exists at this address.',
        resolve: (account) => andThen(storedAt(account), (stored) => stored && decodeAny(pinOf(account), stored.any)),
      }),
    }),
  });
  addEntity(builder, AccountRef, {
    address: (root, address) => andThen(accountInput(pinOf(root), 'address', address), (of) => accountOf(root, of)),
  });
  addConnection(builder, AccountRef, AccountConnectionRef, 'accounts');
  builder.objectField(AnyMessageRef, 'contract', (t) =>
    t.field({
      type: AccountRef,
      description:
        'The contract that the message calls or changes, such as that of `MsgExecuteContract`. null for other messages, for a message that creates a contract, and if the message cannot be decoded.',
      resolve: contractOf,
    }),
  );
  addHeightFields(builder, (t) => ({
    account: t.field({
      type: AccountRef,
      description:
        'An address (account or `scope1…`) and everything that modules store for it. Never null for a well-formed address, even if the chain does not have it. An address of\nanother chain or of a validator is BAD_USER_INPUT.',
      args: { address: t.arg.string({ required: true }) },
      resolve: (root, { address }) => andThen(accountInput(pinOf(root), 'address', address), (of) => accountOf(root, of)),
    }),
  }));
}
