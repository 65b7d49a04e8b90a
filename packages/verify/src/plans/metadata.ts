import { concat } from '../bytes.ts';
import { balancesOf, denomOwner } from './bank.ts';
import { bech32, bech32Parts } from './bech32.ts';
import { bytesOf, lengthPrefixed, textBytes, textOf } from './keyParts.ts';
import { collectionPage, listAnswer, pageRequest, storePage, valuesOf, withoutPrefix } from './page.ts';
import { accountText, addressOf, type Plan, type PlanContext, plan, UnplannedRequest } from './plan.ts';
import { get, type Reading, type Row, range } from './reads.ts';
import { bytesField, Message, messageField, messageFields } from './wire.ts';

// The store `metadata` (Provenance x/metadata/types/keys.go). The ids are keys: a byte for the kind, a UUID, and for some kinds 16 more bytes. The owner of
// a scope's value is the owner of the only coin of the denom `nft/` and its address.

const store = 'metadata';

/** Prefixes of addresses by the kind of an id. */
const kinds = ['scope', 'session', 'record', 'contractspec', 'scopespec', 'recspec'];
const scopeKind = 0x00;
const contractSpecKind = 0x03;
const scopeSpecKind = 0x04;

/** Prints an id of the module as an address. */
export function metadataAddress(id: Uint8Array): string {
  const prefix = kinds[id[0] ?? -1];
  if (prefix === undefined) throw new Error('the id is of no kind');
  return bech32(prefix, id);
}

/** Prints 16 bytes as a UUID. */
function uuidText(bytes: Uint8Array): string {
  const digits = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** The UUID of an id, which follows its kind. */
const uuidOf = (id: Uint8Array): Uint8Array => id.subarray(1, 17);
/** The second half of an id: the UUID of a session, or the hash of a name. */
const restOf = (id: Uint8Array): Uint8Array => id.subarray(17, 33);

/** The first three fields of the information about an id. */
const idFields = (id: Uint8Array): Uint8Array =>
  concat(messageField(1, id), bytesField(2, id.subarray(0, 1)), bytesField(3, uuidOf(id)));

/** The information about a scope or about the specification of a scope or contract. */
const idInfo = (id: Uint8Array): Uint8Array =>
  concat(idFields(id), bytesField(4, metadataAddress(id)), bytesField(5, uuidText(uuidOf(id))));

/** The id of the scope of a session or record, or of the contract of a record's specification. */
const parentOf = (id: Uint8Array, kind: number): Uint8Array => concat(bytesOf(kind), uuidOf(id));

const sessionInfo = (id: Uint8Array): Uint8Array =>
  concat(
    idFields(id),
    bytesField(4, restOf(id)),
    bytesField(5, metadataAddress(id)),
    bytesField(6, uuidText(restOf(id))),
    messageField(7, idInfo(parentOf(id, scopeKind))),
  );

/** The information about a record or about its specification. `parent` is the kind of what it belongs to. */
const namedInfo = (id: Uint8Array, parent: number): Uint8Array =>
  concat(
    idFields(id),
    bytesField(4, restOf(id)),
    bytesField(5, metadataAddress(id)),
    messageField(6, idInfo(parentOf(id, parent))),
  );

/** The id in a request: an address, or a UUID. */
function idOf(text: string, kind: number): Uint8Array {
  const address = bech32Parts(text);
  if (address !== null && address.prefix === kinds[kind] && address.bytes[0] === kind && address.bytes.length === 17)
    return address.bytes;
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text)) throw new UnplannedRequest('the id is not valid');
  const digits = text.replaceAll('-', '').match(/../g) ?? [];
  return bytesOf(kind, ...digits.map((pair) => Number.parseInt(pair, 16)));
}

/** A scope as the node shows it: the stored one with the owner of its value, which is never the one that is stored. */
function* scopeWithOwner(id: Uint8Array, stored: Uint8Array, withInfo: boolean, context: PlanContext): Reading<Uint8Array> {
  const owner = yield* denomOwner(`nft/${metadataAddress(id)}`);
  const scope = new Message(stored);
  const whole = scope.withField(5, owner === null ? bytesOf() : bytesField(5, accountText(owner, context)));
  if (!withInfo) return messageField(1, whole);
  return concat(messageField(1, whole), messageField(2, idInfo(scope.bytes(1))), messageField(3, idInfo(scope.bytes(2))));
}

/** The rows of a scope of another kind, if they are asked for. */
function* partsOf(scope: Uint8Array, kind: number, ask: boolean): Reading<readonly Row[]> {
  return ask ? yield* range(store, concat(bytesOf(kind), uuidOf(scope))) : [];
}

/** A request whose response repeats it is not planned: it has nothing that its sender does not know. */
function refuseEcho(request: Message): void {
  if (request.flag(98)) throw new UnplannedRequest('the response is to repeat the request');
}

const scopePlan = plan('/provenance.metadata.v1.Query/Scope', function* (request, context) {
  refuseEcho(request);
  if (request.has(2) || request.has(3)) throw new UnplannedRequest('the scope is named by a session or record');
  const id = idOf(request.text(1), scopeKind);
  const withInfo = !request.flag(12);
  const stored = yield* get(store, id);
  const scope = stored === null ? messageField(2, idInfo(id)) : yield* scopeWithOwner(id, stored, withInfo, context);
  const sessions = (yield* partsOf(id, 0x01, request.flag(10))).map(([, value]) => {
    const session = new Message(value);
    const info = () => [messageField(2, sessionInfo(session.bytes(1))), messageField(3, idInfo(session.bytes(2)))];
    return concat(messageField(1, value), ...(withInfo ? info() : []));
  });
  const records = (yield* partsOf(id, 0x02, request.flag(11))).map(([key, value]) => {
    const specification = namedInfo(new Message(value).bytes(6), contractSpecKind);
    const info = () => [messageField(2, namedInfo(key, scopeKind)), messageField(3, specification)];
    return concat(messageField(1, value), ...(withInfo ? info() : []));
  });
  return concat(messageField(1, scope), messageFields(2, sessions), messageFields(3, records));
});

/** The plans of scopes and of who owns them. */
export const metadataPlans: readonly Plan[] = [
  scopePlan,
  plan('/provenance.metadata.v1.Query/ScopesAll', function* (request, context) {
    refuseEcho(request);
    const prefix = bytesOf(scopeKind);
    const page = yield* storePage(store, prefix, pageRequest(request, 99, false));
    const scopes: Uint8Array[] = [];
    for (const [key, value] of page.rows)
      scopes.push(yield* scopeWithOwner(concat(prefix, key), value, !request.flag(12), context));
    return listAnswer(scopes, page, 1, 99);
  }),
  plan('/provenance.metadata.v1.Query/Ownership', function* (request, { prefix }) {
    refuseEcho(request);
    const index = concat(bytesOf(0x17), lengthPrefixed(addressOf(request.text(1), prefix)));
    const page = yield* storePage(store, index, pageRequest(request, 99));
    const uuids = page.rows.map(([id]) => textBytes(uuidText(uuidOf(id))));
    return listAnswer(uuids, page, 1, 99);
  }),
  plan('/provenance.metadata.v1.Query/ValueOwnership', function* (request, { prefix }) {
    refuseEcho(request);
    const denoms = textBytes('nft/scope1');
    const balances = concat(balancesOf(addressOf(request.text(1), prefix)), denoms);
    // Without a page request, the node returns all, and no page.
    const page = request.has(99) ? yield* collectionPage('bank', balances, pageRequest(request, 99)) : undefined;
    const rows = page?.rows ?? withoutPrefix(yield* range('bank', balances), balances);
    const uuids = rows.map(([denom]) => {
      const id = bech32Parts(`scope1${textOf(denom)}`)?.bytes;
      if (id === undefined) throw new UnplannedRequest('a denom names no scope');
      return textBytes(uuidText(uuidOf(id)));
    });
    return page === undefined ? messageFields(1, uuids) : listAnswer(uuids, page, 1, 99);
  }),
  plan('/provenance.metadata.v1.Query/ScopeSpecification', function* (request) {
    refuseEcho(request);
    if (request.flag(10) || request.flag(11)) throw new UnplannedRequest('other specifications are asked for');
    const id = idOf(request.text(1), scopeSpecKind);
    const stored = yield* get(store, id);
    const info = messageField(2, idInfo(id));
    if (stored === null) return messageField(1, info);
    return messageField(1, messageField(1, stored), request.flag(12) ? bytesOf() : info);
  }),
  plan('/provenance.metadata.v1.Query/ScopeNetAssetValues', function* (request) {
    const rows = yield* range(store, concat(bytesOf(0x22), lengthPrefixed(idOf(request.text(1), scopeKind))));
    return messageFields(1, valuesOf(rows));
  }),
];
