import { badInput } from '../../reads/errors.ts';
import { normalName } from '../../reads/input.ts';
import { andThen, type Pinned, pinned, pinOf } from '../../reads/pin.ts';
import { type Builder, connectionArgs, createRef, usesContext } from '../../schema/builder.ts';
import { addConnection, type Connection, chainConnection } from '../../schema/connection.ts';
import { addHeightFields } from '../../schema/entities.ts';
import { AccountRef, accountField } from '../account/schema.ts';
import { createNameLoaders, namesList } from './query.ts';

/** A name bound to an address. */
export interface NameRecord {
  readonly name: string;
  readonly address: string;
}

export const NameRecordRef = createRef<Pinned<NameRecord>>('NameRecord');
const NameRecordConnectionRef = createRef<Connection<Pinned<NameRecord>>>('NameRecordConnection');

/** Adds the name module: the account of a name, and the names of an account. */
export function addNames(builder: Builder): void {
  builder.objectType(NameRecordRef, {
    description: 'A name bound to an address (provenance.name.v1).',
    fields: (t) => ({
      name: t.exposeString('name', { nullable: false, description: 'The full name in lower case, such as `kyc.pb`.' }),
      account: accountField(t, 'The account that owns the name.', (record) => record.address),
      restricted: t.boolean({
        description: 'Whether only the owner can bind names under this name. null if the name is not bound.',
        resolve: (record) =>
          andThen(pinOf(record).loaders(createNameLoaders).binding.load(record.name), (binding) => binding?.restricted ?? null),
      }),
    }),
  });
  addConnection(builder, NameRecordRef, NameRecordConnectionRef, 'names');
  addHeightFields(builder, (t) => ({
    name: t.field({
      type: NameRecordRef,
      description: 'The record of a name; null if the name is not bound.',
      args: { name: t.arg.string({ required: true }) },
      resolve: (root, args) => {
        const name = normalName(args.name);
        if (name === '' || name.length > 256)
          throw badInput('name', args.name, 'a name of 1 to 256 characters that is not blank');
        const pin = pinOf(root);
        return andThen(
          pin.loaders(createNameLoaders).binding.load(name),
          (binding) => binding && pinned(pin, { name, address: binding.address }),
        );
      },
    }),
  }));
  builder.objectField(AccountRef, 'names', (t) =>
    t.field({
      type: NameRecordConnectionRef,
      description: 'Names that are bound to the account.',
      args: connectionArgs(builder),
      resolve: usesContext((account, args, _context, info) => {
        const pin = pinOf(account);
        const { address } = account;
        return andThen(chainConnection(pin, namesList(pin, address), args, info), (page) => ({
          ...page,
          nodes: page.nodes.map(({ name }) => pinned(pin, { name, address })),
        }));
      }),
    }),
  );
}
