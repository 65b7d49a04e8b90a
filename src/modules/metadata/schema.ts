import type { GraphQLResolveInfo } from 'graphql';
import { RequestError } from '../../reads/errors.ts';
import { unrecognized } from '../../reads/input.ts';
import type { NamedList } from '../../reads/page.ts';
import { type Awaitable, all, andThen, type Pinned, pinned, pinnedValue, pinOf, weakMemo } from '../../reads/pin.ts';
import {
  type Builder,
  connectionArgs,
  createRef,
  enumValues,
  nonNull,
  nonNullList,
  scanField,
  usesContext,
} from '../../schema/builder.ts';
import { addConnection, type Connection, type ConnectionArgs, chainConnection, pageField } from '../../schema/connection.ts';
import { addEntity, addHeightFields } from '../../schema/entities.ts';
import { AccountRef, accountField, accountOf, accountOrNull } from '../account/schema.ts';
import { AttributeConnectionRef, attributesOf } from '../attribute/schema.ts';
import { CoinRef } from '../bank/schema.ts';
import { addressOfUuid, metadataIdInput, scopeOfDenom } from './address.ts';
import {
  createMetadataLoaders,
  ownedList,
  type Party,
  partyTypes,
  type Scope,
  type ScopeSpecification,
  scopeList,
  valueOwnedList,
} from './query.ts';

/** A page of a list that the chain returns as UUIDs, and its scopes. */
function scopesOf(
  parent: Pinned<object>,
  list: NamedList<{ readonly uuid: string }>,
  args: ConnectionArgs,
  info: GraphQLResolveInfo,
): Awaitable<Connection<Pinned<Scope>>> {
  const pin = pinOf(parent);
  const scopeOf = (uuid: string): Awaitable<Pinned<Scope>> =>
    andThen(scopeAt(parent, addressOfUuid('scope', uuid)), (scope) => {
      if (scope !== null) return scope;
      throw new RequestError('BAD_USER_INPUT', 'The chain lists a scope that does not exist.', {});
    });
  return andThen(chainConnection(pin, list, args, info), (page) =>
    andThen(all(page.nodes.map(({ uuid }) => scopeOf(uuid))), (nodes) => ({ ...page, nodes })),
  );
}

export const ScopeRef = createRef<Pinned<Scope>>('Scope');
const ScopeConnectionRef = createRef<Connection<Pinned<Scope>>>('ScopeConnection');
export const ScopeSpecificationRef = createRef<Pinned<ScopeSpecification>>('ScopeSpecification');
export const PartyRef = createRef<Pinned<Party>>('Party');

/** Reads the scope with this id under the pin of `parent`; null if it does not exist. */
export function scopeAt(parent: Pinned<object>, id: string): Awaitable<Pinned<Scope> | null> {
  const pin = pinOf(parent);
  return pinnedValue(pin, pin.loaders(createMetadataLoaders).scope.load(id));
}

/** Reads the scope specification with this id; null if it does not exist. */
function specificationAt(parent: Pinned<object>, id: string): Awaitable<Pinned<ScopeSpecification> | null> {
  const pin = pinOf(parent);
  return pinnedValue(pin, pin.loaders(createMetadataLoaders).specification.load(id));
}

/** The enum of roles. The first call adds it to the schema. */
export const partyTypeEnum = weakMemo((builder: Builder) =>
  builder.enumType('PartyType', {
    description: 'Role of a party in a scope, session or specification.',
    values: enumValues([...partyTypes, unrecognized]),
  }),
);

/** Adds the metadata module: scopes, scope specifications, and the scope fields of `Account` and `Coin`. */
export function addMetadata(builder: Builder): void {
  const PartyType = partyTypeEnum(builder);
  builder.objectType(PartyRef, {
    description: 'An account with a role in a scope or session.',
    fields: (t) => ({
      account: accountField(t, 'The account of the party.', (party) => party.address),
      role: t.expose('role', { type: PartyType, nullable: false, description: 'Its role.' }),
      optional: t.expose('optional', nonNull('Boolean', 'Whether the signature of this party is optional.')),
    }),
  });
  addScopeType(builder);
  builder.objectType(ScopeSpecificationRef, {
    description: 'The definition of a type of scopes: its purpose, its parties and its contract specifications.',
    fields: (t) => ({
      id: t.exposeID('id', { nullable: false, description: 'Bech32 address, `scopespec1…`.' }),
      uuid: t.exposeString('uuid', { nullable: false, description: 'The UUID in the address.' }),
      name: t.exposeString('name', { nullable: false, description: 'Name; can be empty.' }),
      description: t.exposeString('description', { nullable: false, description: 'Description in free text; can be empty.' }),
      websiteUrl: t.exposeString('websiteUrl', { nullable: false, description: 'URL of a website; can be empty.' }),
      iconUrl: t.exposeString('iconUrl', { nullable: false, description: 'URL of an icon; can be empty.' }),
      owners: t.field({
        ...nonNullList(AccountRef, 'Accounts that own the specification.'),
        resolve: (specification) => specification.owners.map((address) => accountOf(specification, address)),
      }),
      partiesInvolved: t.expose('partiesInvolved', nonNull([PartyType], 'Roles that a scope of this specification requires.')),
      contractSpecIds: t.exposeIDList('contractSpecIds', {
        nullable: false,
        description: 'Bech32 addresses of its contract specifications, `contractspec1…`.',
      }),
    }),
  });
  addEntity(builder, ScopeSpecificationRef, {
    id: (root, id) => specificationAt(root, metadataIdInput('scopespec', 'id', id)),
  });
  addEntity(builder, ScopeRef, { id: (root, id) => scopeAt(root, metadataIdInput('scope', 'id', id)) });
  addConnection(builder, ScopeRef, ScopeConnectionRef, 'scopes');
  addQueries(builder);
  addFieldsOfOtherTypes(builder);
}

function addScopeType(builder: Builder): void {
  builder.objectType(ScopeRef, {
    description:
      'A unique asset, such as a loan, with its owners (provenance.metadata.v1). Its value is owned through the coin `nft/<id>`.',
    fields: (t) => ({
      id: t.exposeID('id', { nullable: false, description: 'Bech32 address, `scope1…`.' }),
      uuid: t.exposeString('uuid', { nullable: false, description: 'The UUID in the address.' }),
      specification: t.field({
        type: ScopeSpecificationRef,
        description: 'The specification of the scope. null if the scope has none, or if it does not exist.',
        resolve: (scope) => (scope.specificationId === null ? null : specificationAt(scope, scope.specificationId)),
      }),
      owners: t.field({
        ...nonNullList(PartyRef, 'Parties of the scope. The owner of its value is `valueOwner`.'),
        resolve: (scope) => scope.owners.map((party) => pinned(pinOf(scope), party)),
      }),
      dataAccess: t.field({
        ...nonNullList(AccountRef, 'Accounts that can read the off-chain data of the scope.'),
        resolve: (scope) => scope.dataAccess.map((address) => accountOf(scope, address)),
      }),
      valueOwner: accountOrNull(
        t,
        'The account that owns the value of the scope: the holder of the coin `nft/<id>`. null if there is none.',
        (scope) => scope.valueOwner,
      ),
      requirePartyRollup: t.expose(
        'requirePartyRollup',
        nonNull(
          'Boolean',
          'Whether every party of the sessions of the scope must be among `owners`. Parties can be optional only if this is true.',
        ),
      ),
      attributes: t.field({
        type: AttributeConnectionRef,
        description:
          'Attributes of the scope that have not expired. `name` selects exactly this name, `suffix` names that end with it. The two arguments\ncannot be combined.',
        extensions: scanField,
        args: { name: t.arg.string(), suffix: t.arg.string(), ...connectionArgs(builder) },
        resolve: usesContext((scope, args, _context, info) => attributesOf(scope, scope.id, args, info)),
      }),
    }),
  });
}

function addQueries(builder: Builder): void {
  addHeightFields(builder, (t) => ({
    scope: t.field({
      type: ScopeRef,
      description: 'The scope with this `scope1…` address or UUID; null if it does not exist.',
      args: { id: t.arg.id({ required: true }) },
      resolve: (root, { id }) => scopeAt(root, metadataIdInput('scope', 'id', id)),
    }),
    scopes: t.field({
      type: ScopeConnectionRef,
      description: 'All scopes, by address.',
      ...pageField(builder, scopeList),
    }),
    scopeSpecification: t.field({
      type: ScopeSpecificationRef,
      description: 'The scope specification with this `scopespec1…` address or UUID; null if it does not exist.',
      args: { id: t.arg.id({ required: true }) },
      resolve: (root, { id }) => specificationAt(root, metadataIdInput('scopespec', 'id', id)),
    }),
  }));
}

function addFieldsOfOtherTypes(builder: Builder): void {
  builder.objectFields(AccountRef, (t) => ({
    scopes: t.field({
      type: ScopeConnectionRef,
      description: 'Scopes that list the account as owner or in their data access. For value ownership see `valueOwnedScopes`.',
      args: connectionArgs(builder),
      resolve: usesContext((account, args, _context, info) =>
        scopesOf(account, ownedList(pinOf(account), account.address), args, info),
      ),
    }),
    valueOwnedScopes: t.field({
      type: ScopeConnectionRef,
      description: 'Scopes of which the account is the value owner.',
      args: connectionArgs(builder),
      resolve: usesContext((account, args, _context, info) =>
        scopesOf(account, valueOwnedList(pinOf(account), account.address), args, info),
      ),
    }),
  }));
  builder.objectField(CoinRef, 'scope', (t) =>
    t.field({
      type: ScopeRef,
      description: 'The scope of an `nft/scope1…` denom; null for every other denom.',
      resolve: (coin) => {
        const id = scopeOfDenom(coin.denom);
        return id === undefined ? null : scopeAt(coin, id);
      },
    }),
  );
}
