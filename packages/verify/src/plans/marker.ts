import { sha256 } from '@noble/hashes/sha2.js';
import { concat, equalBytes } from '../bytes.ts';
import { storedAccount } from './account.ts';
import { accountData } from './attribute.ts';
import { allCoins, amountOf, coin, denomMetadata, denomOwners } from './bank.ts';
import { bech32Parts } from './bech32.ts';
import { bytesOf, lengthPrefixed, textBytes } from './keyParts.ts';
import { collectionPage, listAnswer, pageRequest, storePage, valuesOf } from './page.ts';
import { accountText, type Plan, type PlanContext, plan, refused, UnplannedRequest } from './plan.ts';
import { getRows, type Reading, range } from './reads.ts';
import { bytesField, Message, messageField, messageFields } from './wire.ts';

// The store `marker` (Provenance x/marker/types/key.go): the addresses of the markers, and net asset values. A marker itself is an account.

const store = 'marker';
const markers = bytesOf(0x02);
const markerType = '/provenance.marker.v1.MarkerAccount';

/** The address of the marker of a denom. */
export const markerAddress = (denom: string): Uint8Array => sha256(textBytes(`marker/${denom}`)).slice(0, 20);
/** The keys of the net asset values of a marker. The denom of a price follows. */
export const netAssetValuesOf = (marker: Uint8Array): Uint8Array => concat(bytesOf(0x04), lengthPrefixed(marker));

interface Marker {
  readonly address: Uint8Array;
  /** The stored account, an `Any`. */
  readonly account: Uint8Array;
  readonly content: Message;
}

/** Reads a marker by denom or address. Refuses if there is none. */
function* markerOf(id: string, { prefix }: PlanContext): Reading<Marker> {
  const parts = bech32Parts(id);
  const idAddress = parts?.prefix === prefix ? parts.bytes : undefined;
  const address = idAddress ?? markerAddress(id);
  const account = yield* storedAccount(address);
  // For an address without an account, the node does not answer at all.
  if (account === null && idAddress !== undefined) throw new UnplannedRequest('no account has this address');
  const any = new Message(account ?? bytesOf());
  if (any.text(1) !== markerType) throw refused('invalid denom or address: marker not found');
  return { address, account: account ?? bytesOf(), content: any.message(2) };
}

const markerPlan = (
  method: string,
  respond: (marker: Marker, request: Message, context: PlanContext) => Reading<Uint8Array>,
): Plan =>
  plan(`/provenance.marker.v1.Query/${method}`, function* (request, context) {
    return yield* respond(yield* markerOf(request.text(1), context), request, context);
  });

/** The plans of markers. */
export const markerPlans: readonly Plan[] = [
  plan('/provenance.marker.v1.Query/AllMarkers', function* (request) {
    const page = yield* storePage(store, markers, pageRequest(request, 2));
    // Provenance pages this list with the pager of stores until 1.29, with that of collections since 1.30.
    const other = yield* collectionPage(store, markers, pageRequest(request, 2));
    const isSame = equalBytes(page.response, other.response) && page.rows.length === other.rows.length;
    if (!isSame) throw new UnplannedRequest('versions of the chain have different pages');
    const keys = page.rows.map(([, address]) => concat(bytesOf(0x01), address));
    return listAnswer(yield* getRows('acc', keys), page);
  }),
  // biome-ignore lint/correctness/useYield: the marker is read already.
  markerPlan('Marker', function* ({ account }) {
    return messageField(1, account);
  }),
  markerPlan('Holding', function* ({ content }, request, context) {
    const page = yield* denomOwners(content.text(5), request);
    const balances = page.rows.map((owner) =>
      concat(bytesField(1, accountText(owner.address, context)), messageField(2, owner.coin)),
    );
    return listAnswer(balances, page);
  }),
  // biome-ignore lint/correctness/useYield: the marker is read already.
  markerPlan('Supply', function* ({ content }) {
    return messageField(1, coin(content.text(5), amountOf(content.bytes(6))));
  }),
  markerPlan('Escrow', function* ({ address }) {
    return messageFields(1, yield* allCoins(address));
  }),
  // biome-ignore lint/correctness/useYield: the marker is read already.
  markerPlan('Access', function* ({ content }) {
    return messageFields(1, content.all(3));
  }),
  markerPlan('NetAssetValues', function* ({ address }) {
    const rows = yield* range(store, netAssetValuesOf(address));
    return messageFields(1, valuesOf(rows));
  }),
  plan('/provenance.marker.v1.Query/DenomMetadata', function* (request) {
    return messageField(1, (yield* denomMetadata(request.text(1))) ?? bytesOf());
  }),
  plan('/provenance.marker.v1.Query/AccountData', function* (request) {
    return bytesField(1, yield* accountData(markerAddress(request.text(1))));
  }),
];
