import { type Pinned, pinOf } from '../../reads/pin.ts';
import { type Builder, connectionArgs, createRef, nonNull, usesContext } from '../../schema/builder.ts';
import { addConnection, type Connection, type ConnectionArgs, derivedConnection } from '../../schema/connection.ts';
import { type Account, AccountRef, accountField } from '../account/schema.ts';
import { AnyMessageRef, anyOf } from '../any/schema.ts';
import { type AuthorizationGrant, grantKey, grantsOf, messageTypeOf } from './query.ts';

const AuthorizationGrantRef = createRef<Pinned<AuthorizationGrant>>('AuthorizationGrant');
const AuthorizationGrantConnectionRef = createRef<Connection<Pinned<AuthorizationGrant>>>('AuthorizationGrantConnection');

/** A field of `Account` with a page of grants. */
function grantsField(builder: Builder, list: 'given' | 'received', description: string) {
  const keyOf = grantKey(list === 'given' ? 'grantee' : 'granter');
  return {
    type: AuthorizationGrantConnectionRef,
    description,
    args: connectionArgs(builder),
    resolve: usesContext((account: Pinned<Account>, args: ConnectionArgs, _context, info) => {
      const pin = pinOf(account);
      const { address } = account;
      return derivedConnection(pin, `authz/${list}/${address}`, () => grantsOf(pin, list, address), keyOf, args, info);
    }),
  };
}

/** Adds the authz module: the grants that an account gave and received. */
export function addAuthz(builder: Builder): void {
  builder.objectType(AuthorizationGrantRef, {
    description: 'A grant of x/authz: the grantee may send messages of a type in the name of the granter.',
    fields: (t) => ({
      granter: accountField(t, 'The account in whose name messages are sent.', ({ granter }) => granter),
      grantee: accountField(t, 'The account that may send them.', ({ grantee }) => grantee),
      messageType: t.string({
        description:
          'derived: the type of these messages, such as `/cosmos.bank.v1beta1.MsgSend`. null if the type of the authorization does not tell.',
        resolve: ({ authorization }) => messageTypeOf(authorization),
      }),
      authorization: t.field({
        ...nonNull(AnyMessageRef, 'What is allowed, and within which limits.'),
        resolve: (grant) => anyOf(grant, grant.authorization),
      }),
      expiration: t.expose('expiration', {
        type: 'DateTime',
        description: 'Block time at which the grant expires; null if it does not expire.',
      }),
    }),
  });
  addConnection(builder, AuthorizationGrantRef, AuthorizationGrantConnectionRef, 'grants of x/authz');
  builder.objectFields(AccountRef, (t) => ({
    authzGiven: t.field(grantsField(builder, 'given', 'Grants of x/authz that the account gave, by grantee.')),
    authzReceived: t.field(grantsField(builder, 'received', 'Grants of x/authz that the account received, by granter.')),
  }));
}
