import { concat, equalBytes } from '../bytes.ts';
import { bytesOf, lengthPrefixed, lengthPrefixedPart, textBytes, textOf } from './keyParts.ts';
import { collectionPage, listAnswer, type Page, pageRequest, storePage, valuesOf, withoutPrefix } from './page.ts';
import { accountText, addressOf, notFound, type Plan, type PlanContext, plan, UnplannedRequest } from './plan.ts';
import { get, getRows, type Reading, type Row, range } from './reads.ts';
import { bytesField, Message, messageField, messageFields } from './wire.ts';

// The store `bank` (SDK x/bank/types/keys.go): supply and balances are decimal text, the index of a denom's owners has empty values.

const bank = 'bank';
const supplies = bytesOf(0x00);
const metadata = bytesOf(0x01);
/** The key of the supply of a denom. */
export const supplyKey = (denom: string): Uint8Array => concat(supplies, textBytes(denom));
/** The keys of the balances of an account. A denom follows. */
export const balancesOf = (address: Uint8Array): Uint8Array => concat(bytesOf(0x02), lengthPrefixed(address));
/** The keys of the owners of a denom. An address with its length follows. */
export const ownersOf = (denom: string): Uint8Array => concat(bytesOf(0x03), textBytes(denom), bytesOf(0));
const metadataKey = (denom: string): Uint8Array => concat(metadata, textBytes(denom));

/** Encodes a `Coin`. */
export const coin = (denom: string, amount: string): Uint8Array =>
  concat(bytesField(1, denom), messageField(2, textBytes(amount)));

/** The amount in a stored value: decimal text, or a `Coin` in the rows of old versions. */
export function amountOf(value: Uint8Array): string {
  const text = value[0] === 0x0a ? new Message(value).text(2) : textOf(value);
  if (!/^-?\d+$/.test(text)) throw new Error('a stored amount is not a number');
  return text;
}

/** The coin of a row whose key is a denom. */
const rowCoin = ([key, value]: Row): Uint8Array => coin(textOf(key), amountOf(value));

/** Reads all coins of an account. */
export function* allCoins(address: Uint8Array): Reading<readonly Uint8Array[]> {
  const prefix = balancesOf(address);
  return withoutPrefix(yield* range(bank, prefix), prefix).map(rowCoin);
}

/** Reads one coin of an account, or of the supply. */
function* oneCoin(key: Uint8Array, denom: string): Reading<Uint8Array> {
  if (!/^[a-zA-Z][a-zA-Z0-9/:._-]{2,127}$/.test(denom)) throw new UnplannedRequest('the denom is not valid');
  const value = yield* get(bank, key);
  return coin(denom, value === null ? '0' : amountOf(value));
}

/** The owners of a denom: one page of addresses with what they own. */
export function* denomOwners(
  denom: string,
  request: Message,
): Reading<Page<{ readonly address: Uint8Array; readonly coin: Uint8Array }>> {
  const prefix = ownersOf(denom);
  const page = yield* collectionPage(bank, prefix, pageRequest(request, 2));
  const owners = page.rows.map(([key]) => lengthPrefixedPart(key));
  const balances = yield* getRows(
    bank,
    owners.map((owner) => concat(balancesOf(owner), textBytes(denom))),
  );
  const rows = balances.map((value, at) => ({ address: owners[at] ?? bytesOf(), coin: coin(denom, amountOf(value)) }));
  return { rows, response: page.response };
}

/** Reads the owner of a denom of which there is one coin. Returns null if nobody or more than one account owns it. */
export function* denomOwner(denom: string): Reading<Uint8Array | null> {
  const prefix = ownersOf(denom);
  const [owner, ...others] = withoutPrefix(yield* range(bank, prefix), prefix);
  return owner === undefined || others.length > 0 ? null : lengthPrefixedPart(owner[0]);
}

/** Reads the stored metadata of a denom. */
export const denomMetadata = (denom: string): Reading<Uint8Array | null> => get(bank, metadataKey(denom));

const ownersPlan = (method: string): Plan =>
  plan(`/cosmos.bank.v1beta1.Query/${method}`, function* (request, context) {
    const page = yield* denomOwners(request.text(1), request);
    const owners = page.rows.map((owner) =>
      concat(bytesField(1, accountText(owner.address, context)), messageField(2, owner.coin)),
    );
    return listAnswer(owners, page);
  });

const metadataPlan = (method: string): Plan =>
  plan(`/cosmos.bank.v1beta1.Query/${method}`, function* (request) {
    const denom = request.text(1);
    const stored = yield* denomMetadata(denom);
    if (stored === null) throw notFound(`client metadata for denom ${denom}`);
    return messageField(1, stored);
  });

const accountIn = (request: Message, { prefix }: PlanContext): Uint8Array => addressOf(request.text(1), prefix);

/** Types of accounts none of whose coins vest. */
const withoutVesting = new Set([
  '/cosmos.auth.v1beta1.BaseAccount',
  '/cosmos.auth.v1beta1.ModuleAccount',
  '/provenance.exchange.v1.MarketAccount',
  '/provenance.marker.v1.MarkerAccount',
]);

/**
 * Balances less what is on hold. The coins of a vesting account are locked by rules that are not stated here, so such a request is not planned. On a
 * chain without the module hold, the read of its store throws.
 */
const spendablePlan = plan(
  '/cosmos.bank.v1beta1.Query/SpendableBalances',
  function* (request, context) {
    const address = accountIn(request, context);
    const account = yield* get('acc', concat(bytesOf(0x01), address));
    if (account !== null && !withoutVesting.has(new Message(account).text(1)))
      throw new UnplannedRequest('coins of the account can be locked');
    const page = yield* collectionPage(bank, balancesOf(address), pageRequest(request, 2));
    const holds = withoutPrefix(yield* range('hold', holdsOf(address)), holdsOf(address));
    const coins = page.rows.map(([denom, value]) => {
      const hold = holds.find(([key]) => equalBytes(key, denom));
      const rest = BigInt(amountOf(value)) - BigInt(hold === undefined ? '0' : amountOf(hold[1]));
      return coin(textOf(denom), String(rest < 0n ? 0n : rest));
    });
    return listAnswer(coins, page);
  },
  ['balances.amount'],
);

/** The keys of the holds of an account (Provenance x/hold/keeper/keys.go). A denom follows; the values are decimal text. */
const holdsOf = (address: Uint8Array): Uint8Array => concat(bytesOf(0x00), lengthPrefixed(address));

/** The plan of the coins that an account has on hold. */
const holdsPlan = plan('/provenance.hold.v1.Query/GetHolds', function* (request, context) {
  const prefix = holdsOf(accountIn(request, context));
  const rows = withoutPrefix(yield* range('hold', prefix), prefix).filter(([, value]) => BigInt(amountOf(value)) !== 0n);
  return messageFields(1, rows.map(rowCoin));
});

/** The plans of balances, supply, owners, metadata of denoms, and holds. */
export const bankPlans: readonly Plan[] = [
  plan('/cosmos.bank.v1beta1.Query/Balance', function* (request, context) {
    const denom = request.text(2);
    return messageField(1, yield* oneCoin(concat(balancesOf(accountIn(request, context)), textBytes(denom)), denom));
  }),
  plan('/cosmos.bank.v1beta1.Query/AllBalances', function* (request, context) {
    if (request.flag(3)) throw new UnplannedRequest('the denoms are to be resolved');
    const page = yield* collectionPage(bank, balancesOf(accountIn(request, context)), pageRequest(request, 2));
    return listAnswer(page.rows.map(rowCoin), page);
  }),
  spendablePlan,
  plan('/cosmos.bank.v1beta1.Query/TotalSupply', function* (request) {
    const page = yield* collectionPage(bank, supplies, pageRequest(request, 1));
    return listAnswer(page.rows.map(rowCoin), page);
  }),
  plan('/cosmos.bank.v1beta1.Query/SupplyOf', function* (request) {
    const denom = request.text(1);
    return messageField(1, yield* oneCoin(supplyKey(denom), denom));
  }),
  ownersPlan('DenomOwners'),
  ownersPlan('DenomOwnersByQuery'),
  metadataPlan('DenomMetadata'),
  metadataPlan('DenomMetadataByQueryString'),
  plan('/cosmos.bank.v1beta1.Query/DenomsMetadata', function* (request) {
    const page = yield* storePage(bank, metadata, pageRequest(request, 1));
    return listAnswer(valuesOf(page.rows), page);
  }),
  holdsPlan,
];
