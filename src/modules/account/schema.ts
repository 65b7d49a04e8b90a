import { addressInput } from '../../reads/input.ts';
import { type Pinned, pinned, pinOf } from '../../reads/pin.ts';
import { type Builder, createRef } from '../../schema/builder.ts';
import { addConnection, type Connection } from '../../schema/connection.ts';
import { addEntity } from '../../schema/entities.ts';
import { addHeightFields } from '../../schema/snapshot.ts';
import { decodeAny } from '../any/codec.ts';
import { PublicKeyRef } from '../nodes/statusSchema.ts';
import { createAccountLoaders } from './loaders.ts';
import type { StoredAccount } from './model.ts';

/** An address; everything else hangs on it from the modules that know it. */
export interface Account {
  readonly address: string;
}

/** The entity that all modules extend. */
export const AccountRef = createRef<Pinned<Account>>('Account');
/** A page of accounts. */
export const AccountConnectionRef = createRef<Connection<Pinned<Account>>>('AccountConnection');

/** The account of an address that the chain gave, under the pin of the object that named it. */
export function accountOf(parent: Pinned<object>, address: string): Pinned<Account> {
  return pinned(pinOf(parent), { address });
}

function storedAt(account: Pinned<Account>): Promise<StoredAccount | null> {
  return pinOf(account).loaders(createAccountLoaders).account.load(account.address);
}

/** Adds `Account` and `Query.account`. */
export function addAccount(builder: Builder): void {
  const AccountKindRef = builder.enumType('AccountKind', {
    description: 'What sort of account the chain has at an address.',
    values: {
      BASE: { description: 'An ordinary account.' },
      MODULE: {},
      GROUP_POLICY: { description: 'The account of a group policy (its key is a credential of the group module).' },
      MARKER: { description: 'The escrow account of a marker.' },
      VESTING: {},
      OTHER: { description: 'Any other type; `json` holds it.' },
    },
  });
  builder.objectType(AccountRef, {
    description: 'An address. Everything but the address is read when asked for, by the module it belongs to.',
    fields: (t) => ({
      address: t.exposeString('address', {
        nullable: false,
        description: 'Bech32: an account, or a scope (`scope1…`), which can have attributes too.',
      }),
      kind: t.field({
        type: AccountKindRef,
        description: 'null when the chain has no account at this address.',
        resolve: async (account) => (await storedAt(account))?.kind ?? null,
      }),
      moduleName: t.string({
        description: 'Name of the module that owns it, such as `gov`; null for all others.',
        resolve: async (account) => (await storedAt(account))?.moduleName ?? null,
      }),
      accountNumber: t.field({
        type: 'UInt64',
        description: 'null when there is no account.',
        resolve: async (account) => (await storedAt(account))?.accountNumber ?? null,
      }),
      sequence: t.field({
        type: 'UInt64',
        description: 'The sequence that its next transaction must carry; null when there is no account.',
        resolve: async (account) => (await storedAt(account))?.sequence ?? null,
      }),
      publicKey: t.field({
        type: PublicKeyRef,
        description: 'null until it has signed a transaction.',
        resolve: async (account) => (await storedAt(account))?.publicKey ?? null,
      }),
      json: t.field({
        type: 'JSON',
        description: 'The account as stored, decoded: vesting schedule, permissions and all; null when there is no account.',
        resolve: async (account) => {
          const stored = await storedAt(account);
          return stored && decodeAny(pinOf(account), stored.any);
        },
      }),
    }),
  });
  addEntity(builder, AccountRef, { address: (root, address) => accountOf(root, addressInput('address', address)) });
  addConnection(builder, AccountRef, AccountConnectionRef, 'accounts');
  addHeightFields(builder, (t) => ({
    account: t.field({
      type: AccountRef,
      description:
        'An address (account or `scope1…`) and all that hangs on it. Never null for a well-formed address, known to the chain or not.',
      args: { address: t.arg.string({ required: true }) },
      resolve: (root, { address }) => accountOf(root, addressInput('address', address)),
    }),
  }));
}
