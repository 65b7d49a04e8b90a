import { chainList } from '../../reads/chainList.ts';
import { addressKey, denomInput } from '../../reads/input.ts';
import { pinned, pinOf } from '../../reads/pin.ts';
import { unrecognized } from '../../reads/unrecognized.ts';
import { connectionArgs } from '../../schema/args.ts';
import type { Builder } from '../../schema/builder.ts';
import { addConnection, chainConnection } from '../../schema/connection.ts';
import { addEntity } from '../../schema/entities.ts';
import { enumValues } from '../../schema/enums.ts';
import { addHeightFields } from '../../schema/snapshot.ts';
import { createAccountLoaders } from '../account/loaders.ts';
import { AccountRef, accountOf } from '../account/schema.ts';
import { holders } from '../bank/connections.ts';
import { createBankLoaders } from '../bank/loaders.ts';
import { CoinRef, coinOf, DenomMetadataRef, HolderConnectionRef } from '../bank/refs.ts';
import { scopeOfDenom } from '../metadata/address.ts';
import { createMarkerLoaders } from './loaders.ts';
import { accesses, type Marker, markerStatuses, markerTypes } from './model.ts';
import { AccessGrantRef, MarkerConnectionRef, MarkerRef, markerAt } from './refs.ts';

/** Adds the marker module: its types, its queries, and the markers of accounts and coins. */
export function addMarkers(builder: Builder): void {
  addMarkerType(builder);
  addAccess(builder);
  addEntity(builder, MarkerRef, { denom: (root, denom) => markerAt(root, denomInput('denom', denom)) });
  addConnection(builder, MarkerRef, MarkerConnectionRef, 'markers');
  addHeightFields(builder, (t) => ({
    marker: t.field({
      type: MarkerRef,
      description: 'The marker of a denom; null when the denom has none.',
      args: { denom: t.arg.string({ required: true }) },
      resolve: (root, { denom }) => markerAt(root, denomInput('denom', denom)),
    }),
    markers: t.field({
      type: MarkerConnectionRef,
      description: "All markers, in the chain's order (by address).",
      args: connectionArgs(builder),
      resolve: (root, args, _context, info) => {
        const pin = pinOf(root);
        const list = chainList(pin.loaders(createMarkerLoaders).markers, '', ({ address }: Marker) => markerKey(address));
        return chainConnection(pin, 'markers/', list, args, info);
      },
    }),
  }));
  builder.objectField(AccountRef, 'marker', (t) =>
    t.field({
      type: MarkerRef,
      description: 'The marker of this address; null when it is none.',
      resolve: async (account) => {
        const pin = pinOf(account);
        const stored = await pin.loaders(createAccountLoaders).account.load(account.address);
        return stored?.markerDenom ? markerAt(account, stored.markerDenom) : null;
      },
    }),
  );
  builder.objectField(CoinRef, 'marker', (t) =>
    t.field({
      type: MarkerRef,
      description: 'The marker of the denom; null when it has none.',
      resolve: (coin) => (scopeOfDenom(coin.denom) === undefined ? markerAt(coin, coin.denom) : null),
    }),
  );
}

/** As the chain sorts markers: an address behind its length (seen in a page key, of which more is not known). */
function markerKey(address: string): Uint8Array {
  const bytes = addressKey(address);
  return Buffer.concat([Uint8Array.of(bytes.length), bytes]);
}

function addMarkerType(builder: Builder): void {
  const MarkerType = builder.enumType('MarkerType', {
    description: 'Whether transfers of a marker are free.',
    values: enumValues([...markerTypes, unrecognized], {
      MARKER_TYPE_COIN: 'Anybody may send it.',
      MARKER_TYPE_RESTRICTED: 'Transfers need attributes or permissions.',
    }),
  });
  const MarkerStatus = builder.enumType('MarkerStatus', {
    description: 'Where a marker stands between being proposed and destroyed; coins move while it is ACTIVE.',
    values: enumValues([...markerStatuses, unrecognized]),
  });
  builder.objectType(MarkerRef, {
    description: 'A fungible token of the marker module.',
    fields: (t) => ({
      denom: t.exposeString('denom', { nullable: false }),
      account: t.field({
        type: AccountRef,
        nullable: false,
        description: "The marker's own account, which holds its escrow.",
        resolve: (marker) => accountOf(marker, marker.address),
      }),
      markerType: t.expose('markerType', { type: MarkerType, nullable: false }),
      status: t.expose('status', { type: MarkerStatus, nullable: false }),
      manager: t.field({
        type: AccountRef,
        description: 'Who may set it up before it is active; null when there is none.',
        resolve: (marker) => (marker.manager === null ? null : accountOf(marker, marker.manager)),
      }),
      supply: t.field({
        type: CoinRef,
        nullable: false,
        description: 'The supply it is configured for; what exists is `circulation`.',
        resolve: (marker) => coinOf(marker, { denom: marker.denom, amount: marker.supply }),
      }),
      circulation: t.field({
        type: CoinRef,
        description: 'Units that exist (bank supply), escrow included.',
        resolve: async (marker) => coinOf(marker, await pinOf(marker).loaders(createBankLoaders).supply.load(marker.denom)),
      }),
      supplyFixed: t.exposeBoolean('supplyFixed', {
        nullable: false,
        description: 'Whether circulation must always equal supply.',
      }),
      allowGovernanceControl: t.exposeBoolean('allowGovernanceControl', { nullable: false }),
      allowForcedTransfer: t.exposeBoolean('allowForcedTransfer', {
        nullable: false,
        description: "Whether an account with ACCESS_FORCE_TRANSFER may move others' holdings.",
      }),
      requiredAttributes: t.exposeStringList('requiredAttributes', {
        nullable: false,
        description: 'Names of attributes that a recipient needs (restricted markers).',
      }),
      requireDepositAccess: t.exposeBoolean('requireDepositAccess', {
        nullable: false,
        description: 'Whether a deposit needs ACCESS_DEPOSIT; false on chains before Provenance v1.30.',
      }),
      accessControl: t.field({
        type: [AccessGrantRef],
        nullable: false,
        resolve: (marker) => marker.accessControl.map((grant) => pinned(pinOf(marker), grant)),
      }),
      metadata: t.field({
        type: DenomMetadataRef,
        description: 'null when the chain holds none for this denom.',
        resolve: (marker) => pinOf(marker).loaders(createBankLoaders).metadata.load(marker.denom),
      }),
      escrow: t.field({
        type: [CoinRef],
        description: "What the marker's account holds, of any denom.",
        resolve: async (marker) => {
          const coins = await pinOf(marker).loaders(createMarkerLoaders).escrow.load(marker.denom);
          return coins?.map((coin) => coinOf(marker, coin)) ?? null;
        },
      }),
      holders: t.field({
        type: HolderConnectionRef,
        description: "By address; includes the marker's own account and module accounts.",
        args: connectionArgs(builder),
        resolve: (marker, args, _context, info) => holders(marker, marker.denom, args, info),
      }),
    }),
  });
}

function addAccess(builder: Builder): void {
  const AccessType = builder.enumType('Access', {
    description: 'A permission on a marker.',
    values: enumValues([...accesses, unrecognized]),
  });
  builder.objectType(AccessGrantRef, {
    description: 'What an account may do with a marker.',
    fields: (t) => ({
      account: t.field({ type: AccountRef, nullable: false, resolve: (grant) => accountOf(grant, grant.address) }),
      permissions: t.expose('permissions', { type: [AccessType], nullable: false }),
    }),
  });
}
