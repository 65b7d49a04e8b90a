import { type Builder, createRef } from '../../graphql/builder.ts';
import { addConnection, type Connection } from '../../graphql/connection.ts';
import { addressInput } from '../input.ts';
import { type Pinned, pinned, pinOf } from '../pin.ts';

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

/** Adds `Account` and `Query.account`. */
export function addAccount(builder: Builder): void {
  builder.objectType(AccountRef, {
    description: 'An address. Everything but the address is read when asked for, by the module it belongs to.',
    fields: (t) => ({
      address: t.exposeString('address', {
        nullable: false,
        description: 'Bech32: an account, or a scope (`scope1…`), which can have attributes too.',
      }),
    }),
  });
  addConnection(builder, AccountRef, AccountConnectionRef, 'accounts');
  builder.queryField('account', (t) =>
    t.field({
      type: AccountRef,
      description:
        'An address (account or `scope1…`) and all that hangs on it. Never null for a well-formed address, known to the chain or not.',
      args: { address: t.arg.string({ required: true }) },
      resolve: (root, { address }) => accountOf(root, addressInput('address', address)),
    }),
  );
}
