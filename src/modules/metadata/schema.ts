import { pinned, pinOf } from '../../reads/pin.ts';
import { unrecognized } from '../../reads/unrecognized.ts';
import { connectionArgs } from '../../schema/args.ts';
import type { Builder } from '../../schema/builder.ts';
import { addConnection } from '../../schema/connection.ts';
import { addEntity } from '../../schema/entities.ts';
import { enumValues } from '../../schema/enums.ts';
import { scanField } from '../../schema/fieldMarks.ts';
import { addAsOfHeight, addHeightFields } from '../../schema/snapshot.ts';
import { AccountRef, accountOf } from '../account/schema.ts';
import { attributesOf } from '../attribute/connections.ts';
import { AttributeConnectionRef } from '../attribute/refs.ts';
import { CoinRef } from '../bank/refs.ts';
import { metadataIdInput, scopeOfDenom } from './address.ts';
import * as connections from './connections.ts';
import { partyTypes } from './model.ts';
import { PartyRef, ScopeConnectionRef, ScopeRef, ScopeSpecificationRef, scopeAt, specificationAt } from './refs.ts';

/** Adds the metadata module: scopes, their specifications, and the scopes of accounts and coins. */
export function addMetadata(builder: Builder): void {
  const PartyType = builder.enumType('PartyType', {
    description: 'A role in a scope or specification.',
    values: enumValues([...partyTypes, unrecognized]),
  });
  builder.objectType(PartyRef, {
    description: 'An account with a role in a scope.',
    fields: (t) => ({
      account: t.field({ type: AccountRef, nullable: false, resolve: (party) => accountOf(party, party.address) }),
      role: t.expose('role', { type: PartyType, nullable: false }),
      optional: t.exposeBoolean('optional', { nullable: false, description: 'Whether its signature may be missing.' }),
    }),
  });
  addScopeType(builder);
  builder.objectType(ScopeSpecificationRef, {
    description: 'What scopes of one sort are for and how they are built.',
    fields: (t) => ({
      id: t.exposeID('id', { nullable: false, description: 'Bech32 address `scopespec1…`.' }),
      uuid: t.exposeString('uuid', { nullable: false }),
      name: t.exposeString('name', { nullable: false }),
      description: t.exposeString('description', { nullable: false }),
      websiteUrl: t.exposeString('websiteUrl', { nullable: false }),
      iconUrl: t.exposeString('iconUrl', { nullable: false }),
      owners: t.field({
        type: [AccountRef],
        nullable: false,
        resolve: (specification) => specification.owners.map((address) => accountOf(specification, address)),
      }),
      partiesInvolved: t.expose('partiesInvolved', { type: [PartyType], nullable: false }),
      contractSpecIds: t.exposeIDList('contractSpecIds', {
        nullable: false,
        description: 'Bech32 addresses `contractspec1…`.',
      }),
    }),
  });
  addAsOfHeight(builder, ScopeSpecificationRef);
  addEntity(builder, ScopeRef, { id: (root, id) => scopeAt(root, metadataIdInput('scope', 'id', id)) });
  addConnection(builder, ScopeRef, ScopeConnectionRef, 'scopes');
  addQueries(builder);
  addElsewhere(builder);
}

function addScopeType(builder: Builder): void {
  builder.objectType(ScopeRef, {
    description: 'A unique asset and who is concerned with it (provenance.metadata.v1).',
    fields: (t) => ({
      id: t.exposeID('id', { nullable: false, description: 'Bech32 address `scope1…`.' }),
      uuid: t.exposeString('uuid', { nullable: false }),
      specification: t.field({
        type: ScopeSpecificationRef,
        description: 'null when the scope names one that does not exist.',
        resolve: (scope) => (scope.specificationId === null ? null : specificationAt(scope, scope.specificationId)),
      }),
      owners: t.field({
        type: [PartyRef],
        nullable: false,
        resolve: (scope) => scope.owners.map((party) => pinned(pinOf(scope), party)),
      }),
      dataAccess: t.field({
        type: [AccountRef],
        nullable: false,
        description: 'Accounts that may read its off-chain data.',
        resolve: (scope) => scope.dataAccess.map((address) => accountOf(scope, address)),
      }),
      valueOwner: t.field({
        type: AccountRef,
        description: 'Who owns its value: the holder of the coin `nft/<id>`. null when nobody does.',
        resolve: (scope) => (scope.valueOwner === null ? null : accountOf(scope, scope.valueOwner)),
      }),
      requirePartyRollup: t.exposeBoolean('requirePartyRollup', { nullable: false }),
      attributes: t.field({
        type: AttributeConnectionRef,
        description: 'Attributes on the scope itself.',
        extensions: scanField,
        args: { name: t.arg.string(), suffix: t.arg.string(), ...connectionArgs(builder) },
        resolve: (scope, args, _context, info) => attributesOf(scope, scope.id, args, info),
      }),
    }),
  });
}

function addQueries(builder: Builder): void {
  addHeightFields(builder, (t) => ({
    scope: t.field({
      type: ScopeRef,
      description: 'A scope by `scope1…` address or UUID; null when there is none.',
      args: { id: t.arg.id({ required: true }) },
      resolve: (root, { id }) => scopeAt(root, metadataIdInput('scope', 'id', id)),
    }),
    scopes: t.field({
      type: ScopeConnectionRef,
      description: 'All scopes, by address.',
      args: connectionArgs(builder),
      resolve: (root, args, _context, info) => connections.scopes(root, args, info),
    }),
    scopeSpecification: t.field({
      type: ScopeSpecificationRef,
      description: 'A scope specification by `scopespec1…` address or UUID; null when there is none.',
      args: { id: t.arg.id({ required: true }) },
      resolve: (root, { id }) => specificationAt(root, metadataIdInput('scopespec', 'id', id)),
    }),
  }));
}

function addElsewhere(builder: Builder): void {
  builder.objectFields(AccountRef, (t) => ({
    scopes: t.field({
      type: ScopeConnectionRef,
      description: 'Scopes that list it among owners or data access; value ownership does not count here.',
      args: connectionArgs(builder),
      resolve: (account, args, _context, info) => connections.ownedScopes(account, account.address, args, info),
    }),
    valueOwnedScopes: t.field({
      type: ScopeConnectionRef,
      description: 'Scopes that it is value owner of.',
      args: connectionArgs(builder),
      resolve: (account, args, _context, info) => connections.valueOwnedScopes(account, account.address, args, info),
    }),
  }));
  builder.objectField(CoinRef, 'scope', (t) =>
    t.field({
      type: ScopeRef,
      description: 'The scope of an `nft/scope1…` denom; null for all others.',
      resolve: (coin) => {
        const id = scopeOfDenom(coin.denom);
        return id === undefined ? null : scopeAt(coin, id);
      },
    }),
  );
}
