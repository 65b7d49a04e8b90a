import { denomInput, unrecognized } from '../../reads/input.ts';
import { type Awaitable, andThen, type Pinned, pinned, pinnedValue, pinOf } from '../../reads/pin.ts';
import { type Builder, createRef, enumValues, nonNull, nonNullList } from '../../schema/builder.ts';
import { addConnection, type Connection, pageField } from '../../schema/connection.ts';
import { addEntity, addHeightFields } from '../../schema/entities.ts';
import { createAccountLoaders } from '../account/query.ts';
import { AccountRef, accountField, accountOrNull } from '../account/schema.ts';
import { createBankLoaders, holderList } from '../bank/query.ts';
import { CoinRef, coinOf, DenomMetadataRef, HolderConnectionRef } from '../bank/schema.ts';
import { scopeOfDenom } from '../metadata/address.ts';
import {
  type AccessGrant,
  accesses,
  createMarkerLoaders,
  type Marker,
  markerList,
  markerStatuses,
  markerTypes,
} from './query.ts';

/** References of the module's types, for its own files and for modules that extend the types. */
export const MarkerRef = createRef<Pinned<Marker>>('Marker');
const MarkerConnectionRef = createRef<Connection<Pinned<Marker>>>('MarkerConnection');
const AccessGrantRef = createRef<Pinned<AccessGrant>>('AccessGrant');

/** Reads the marker of a denom under the pin of `parent`; null if the denom has none. */
function markerAt(parent: Pinned<object>, denom: string): Awaitable<Pinned<Marker> | null> {
  const pin = pinOf(parent);
  return pinnedValue(pin, pin.loaders(createMarkerLoaders).marker.load(denom));
}

/** Adds the marker module: its types, its queries and its fields of `Account` and `Coin`. */
export function addMarkers(builder: Builder): void {
  addMarkerType(builder);
  addAccess(builder);
  addEntity(builder, MarkerRef, { denom: (root, denom) => markerAt(root, denomInput('denom', denom)) });
  addConnection(builder, MarkerRef, MarkerConnectionRef, 'markers');
  addHeightFields(builder, (t) => ({
    marker: t.field({
      type: MarkerRef,
      description: 'The marker of a denom; null if the denom has none.',
      args: { denom: t.arg.string({ required: true }) },
      resolve: (root, { denom }) => markerAt(root, denomInput('denom', denom)),
    }),
    markers: t.field({
      type: MarkerConnectionRef,
      description: 'All markers, by address of the marker account.',
      ...pageField(builder, markerList),
    }),
  }));
  builder.objectField(AccountRef, 'marker', (t) =>
    t.field({
      type: MarkerRef,
      description: 'The marker whose account this is; null if the account is not that of a marker.',
      resolve: (account) =>
        andThen(pinOf(account).loaders(createAccountLoaders).account.load(account.address), (stored) =>
          stored?.markerDenom ? markerAt(account, stored.markerDenom) : null,
        ),
    }),
  );
  builder.objectField(CoinRef, 'marker', (t) =>
    t.field({
      type: MarkerRef,
      description: 'The marker of the denom; null if the denom has none.',
      resolve: (coin) => (scopeOfDenom(coin.denom) === undefined ? markerAt(coin, coin.denom) : null),
    }),
  );
}

function addMarkerType(builder: Builder): void {
  const MarkerType = builder.enumType('MarkerType', {
    description: 'Whether transfers of a marker are restricted.',
    values: enumValues([...markerTypes, unrecognized], {
      MARKER_TYPE_COIN: 'Every holder can send it.',
      MARKER_TYPE_RESTRICTED: 'Transfers require permissions, or attributes of the recipient.',
    }),
  });
  const MarkerStatus = builder.enumType('MarkerStatus', {
    description: 'Status of a marker, from PROPOSED to DESTROYED. Its coins can be transferred while it is ACTIVE.',
    values: enumValues([...markerStatuses, unrecognized], {
      MARKER_STATUS_PROPOSED: 'The manager configures the marker. No coins exist.',
      MARKER_STATUS_FINALIZED: 'The configuration is complete. The marker can be activated.',
      MARKER_STATUS_ACTIVE: 'The coins exist and can be transferred.',
      MARKER_STATUS_CANCELLED: 'The marker is out of use and can be destroyed.',
      MARKER_STATUS_DESTROYED: 'The marker is about to be deleted.',
      UNRECOGNIZED: 'A value that this server does not recognize.',
    }),
  });
  builder.objectType(MarkerRef, {
    description: 'A fungible token (provenance.marker.v1), identified by its denom.',
    fields: (t) => ({
      denom: t.exposeString('denom', { nullable: false, description: 'Denom of the token.' }),
      account: accountField(t, 'The account of the marker, which holds its escrow.', (marker) => marker.address),
      markerType: t.expose('markerType', nonNull(MarkerType, 'Whether transfers are restricted.')),
      status: t.expose('status', { type: MarkerStatus, nullable: false, description: 'Status at this height.' }),
      manager: accountOrNull(
        t,
        'The account that configures the marker before it is active. null if there is none.',
        (marker) => marker.manager,
      ),
      supply: t.field({
        ...nonNull(CoinRef, 'Configured supply. The units that exist are in `circulation`.'),
        resolve: (marker) => coinOf(marker, { denom: marker.denom, amount: marker.supply }),
      }),
      circulation: t.field({
        type: CoinRef,
        description: 'Units that exist, including those in escrow (supply of the bank module).',
        resolve: (marker) =>
          andThen(pinOf(marker).loaders(createBankLoaders).supply.load(marker.denom), (coin) => coinOf(marker, coin)),
      }),
      supplyFixed: t.expose('supplyFixed', nonNull('Boolean', 'Whether `circulation` must always equal `supply`.')),
      allowGovernanceControl: t.expose(
        'allowGovernanceControl',
        nonNull('Boolean', 'Whether governance proposals can change the marker.'),
      ),
      allowForcedTransfer: t.expose(
        'allowForcedTransfer',
        nonNull('Boolean', 'Whether an account with ACCESS_FORCE_TRANSFER can transfer the coins of other holders.'),
      ),
      requiredAttributes: t.exposeStringList('requiredAttributes', {
        nullable: false,
        description: 'Names of the attributes that a recipient needs; for restricted markers only.',
      }),
      requireDepositAccess: t.expose(
        'requireDepositAccess',
        nonNull(
          'Boolean',
          'Whether a deposit requires ACCESS_DEPOSIT. Always false on chains whose marker module does not have this setting.',
        ),
      ),
      accessControl: t.field({
        ...nonNullList(AccessGrantRef, 'Permissions of accounts on the marker.'),
        resolve: (marker) => marker.accessControl.map((grant) => pinned(pinOf(marker), grant)),
      }),
      metadata: t.field({
        type: DenomMetadataRef,
        description: 'Bank metadata of the denom; null if the chain has none.',
        resolve: (marker) => pinOf(marker).loaders(createBankLoaders).metadata.load(marker.denom),
      }),
      escrow: t.field({
        type: [CoinRef],
        description: 'Balances of the marker account in all denoms.',
        resolve: (marker) =>
          andThen(
            pinOf(marker).loaders(createMarkerLoaders).escrow.load(marker.denom),
            (coins) => coins?.map((coin) => coinOf(marker, coin)) ?? null,
          ),
      }),
      holders: t.field({
        type: HolderConnectionRef,
        description: 'Accounts that hold the denom, by address. Includes the marker account and module accounts.',
        ...pageField(builder, (pin, { denom }: Marker) => holderList(pin, denom)),
      }),
    }),
  });
}

function addAccess(builder: Builder): void {
  const AccessType = builder.enumType('Access', {
    description: 'A permission on a marker.',
    values: enumValues([...accesses, unrecognized], {
      ACCESS_MINT: 'Increase the supply.',
      ACCESS_BURN: 'Decrease the supply.',
      ACCESS_DEPOSIT: 'Deposit coins in the marker account.',
      ACCESS_WITHDRAW: 'Withdraw coins from the marker account.',
      ACCESS_DELETE: 'Cancel and destroy the marker.',
      ACCESS_ADMIN: 'Change the permissions on the marker.',
      ACCESS_TRANSFER: 'Transfer coins of a restricted marker.',
      ACCESS_FORCE_TRANSFER: 'Transfer coins of other holders without their signature.',
      UNRECOGNIZED: 'A value that this server does not recognize.',
    }),
  });
  builder.objectType(AccessGrantRef, {
    description: 'The permissions of an account on a marker.',
    fields: (t) => ({
      account: accountField(t, 'The account that has the permissions.', (grant) => grant.address),
      permissions: t.expose('permissions', { type: [AccessType], nullable: false, description: 'Its permissions.' }),
    }),
  });
}
