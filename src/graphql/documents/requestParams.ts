import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { type ProofRequest, proofInExtensions } from '../../answers/assurance.ts';
import { jsonExcess } from '../../answers/errors.ts';
import { heightsIn, type NamedHeights, noHeights } from '../../answers/pickHeight.ts';
import { type CacheCounts, objectBytes, textBytes } from '../../chain/memory/memoryBudget.ts';
import { JsonBoundError, type JsonBounds, type JsonObject, type JsonValue, parseBoundedJson } from '../../chain/wire/json.ts';
import { badInput, RequestError } from '../../reads/errors.ts';
import { refusal } from './errors.ts';

/**
 * The parameters of a GraphQL request, from its body, else from its URL, whose types are not checked. Parsed on the first call. Throws
 * BAD_USER_INPUT.
 */
export type RequestParams = () => JsonObject;

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parse(name: string, json: Buffer, bounds: JsonBounds): JsonObject {
  let value: JsonValue;
  try {
    value = parseBoundedJson(json, bounds);
  } catch (error) {
    throw refusal(error instanceof JsonBoundError ? jsonExcess(error) : notObject(name));
  }
  if (!isObject(value)) throw refusal(notObject(name));
  return value;
}

function notObject(name: string): RequestError {
  if (name === 'body') return new RequestError('BAD_USER_INPUT', 'The body must be one JSON object.', {});
  return badInput(name, '', 'a JSON object');
}

function paramsOfQuery(url: string, bounds: JsonBounds): JsonObject {
  const query = new URL(url, 'http://localhost').searchParams;
  const json = (name: string): JsonObject | undefined => {
    const text = query.get(name);
    return text === null || text === '' || text === 'null' ? undefined : parse(name, Buffer.from(text), bounds);
  };
  const [document, documentId, operationName] = [query.get('query'), query.get('documentId'), query.get('operationName')];
  const [variables, extensions] = [json('variables'), json('extensions')];
  return {
    ...(document && { query: document }),
    ...(documentId && { documentId }),
    ...(operationName && { operationName }),
    ...(variables && { variables }),
    ...(extensions && { extensions }),
  };
}

/** The extensions of a request. undefined if it has none, or none of the right type. */
function extensionsOf({ extensions }: JsonObject): JsonObject | undefined {
  return isObject(extensions) ? extensions : undefined;
}

/** Creates the reader of the parameters of a request. Integers beyond the safe integers become decimal strings. */
export function readParams(url: string, body: Buffer | undefined, bounds: JsonBounds): RequestParams {
  let params: JsonObject | undefined;
  return () => {
    params ??= body === undefined ? paramsOfQuery(url, bounds) : parse('body', body, bounds);
    return params;
  };
}

/** Shorter bodies are searched as a text, in bytes: a search in bytes for each name takes three times as long. */
const shortBody = 512;

/** The members of a body that name a document, the end of the names of both heights, and the names of the time, the chain, the proof and the quorum. */
const names = ['"documentId"', '"persistedQuery"', 'eight"', '"blockTime"', '"chain"', '"proof"', '"quorum"'] as const;
const namePattern = new RegExp(names.join('|'));
const nameBytes = names.map((name) => Buffer.from(name));

/** The heights that a request names in its `extensions`. Names none if it is not a GraphQL request. */
export function heightsOf(params: RequestParams): NamedHeights {
  try {
    return heightsIn(extensionsOf(params()));
  } catch {
    return noHeights;
  }
}

/** The proof that a request asks for in its `extensions`. undefined for none, and if it is not a GraphQL request. */
export function proofOf(params: RequestParams): ProofRequest | undefined {
  try {
    return proofInExtensions(extensionsOf(params()));
  } catch {
    return undefined;
  }
}

/** The quorum that a request names in its `extensions`, as it is. undefined for none, and if it is not a GraphQL request. */
export function quorumOf(params: RequestParams): unknown {
  try {
    return extensionsOf(params())?.quorum;
  } catch {
    return undefined;
  }
}

/** Documents that clients have sent with their hashes (automatic persisted queries), by SHA-256 in hex. */
interface PersistedDocuments {
  /** Returns the document with this hash. undefined if it was never sent, or was evicted: the client then sends it again. */
  get(hash: string): string | undefined;
  /** Whether the document with this hash is stored. */
  has(hash: string): boolean;
  /** Adds a document whose hash was verified. Evicts the least recently used documents to make room. */
  add(hash: string, text: string): void;
  stats(): CacheCounts;
}

/** Documents that clients have sent to any of several processes. */
interface SharedDocuments {
  /** Returns the document with this hash. undefined if it is not stored, or not available. Never rejects. */
  get(hash: string): Promise<string | undefined>;
  /** Adds a document whose hash was verified. */
  add(hash: string, text: string): void;
}

/** Creates an empty store of at most `maxBytes` of memory. A document longer than `maxText` characters is not stored. */
export function createPersistedDocuments({
  maxBytes,
  maxText,
}: {
  readonly maxBytes: number;
  readonly maxText: number;
}): PersistedDocuments {
  const counts = { hits: 0, misses: 0, evictions: 0 };
  const stored = new LRUCache<string, string>({
    maxSize: Math.max(1, maxBytes),
    sizeCalculation: (text, hash) => objectBytes + textBytes(text) + textBytes(hash),
    dispose(_text, _hash, reason) {
      if (reason === 'evict') counts.evictions += 1;
    },
  });
  return {
    get(hash) {
      const text = stored.get(hash);
      counts[text === undefined ? 'misses' : 'hits'] += 1;
      return text;
    },
    has: (hash) => stored.has(hash),
    add(hash, text) {
      if (text.length <= maxText && !stored.has(hash)) stored.set(hash, text);
    },
    stats: () => ({ bytes: stored.calculatedSize, entries: stored.size, ...counts }),
  };
}

/** Documents by id: the manifest that the client preset of GraphQL Code Generator writes. An id is usually a hash of its document. */
export type DocumentManifest = Readonly<Record<string, string>>;

/** The documents that the operator trusts. */
export interface TrustedDocuments {
  /** Returns the document with this id, which is that of a manifest or the SHA-256 of the document in hex. */
  find(id: string): string | undefined;
  /** Whether a text is, character by character, a trusted document. */
  includes(text: string): boolean;
  /** The texts of all trusted documents: another set after each change. */
  texts(): ReadonlySet<string>;
}

/** Trusted documents of which one manifest can be replaced. */
export interface ReplaceableDocuments extends TrustedDocuments {
  /** Replaces the documents of the operator. The built-in ones stay. */
  replace(manifest: DocumentManifest): void;
}

/** The SHA-256 of a document in hex, as clients send it. */
function hashOfDocument(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Creates the list of trusted documents. Those of `builtIn` are always trusted. */
export function createTrustedDocuments(builtIn: DocumentManifest = {}): ReplaceableDocuments {
  let byId = new Map<string, string>();
  let texts = new Set<string>();

  function replace(manifest: DocumentManifest): void {
    // The built-in documents come last, so that no manifest can replace one.
    const entries = [...Object.entries(manifest), ...Object.entries(builtIn)];
    byId = new Map([...entries.map(([, text]) => [hashOfDocument(text), text] as const), ...entries]);
    texts = new Set(byId.values());
  }

  replace({});
  return { find: (id) => byId.get(id), includes: (text) => texts.has(text), texts: () => texts, replace };
}

/** The part of a request that contains or names its document. */
interface DocumentRequest {
  readonly query?: unknown;
  readonly documentId?: unknown;
  readonly extensions?: Readonly<Record<string, unknown>> | null | undefined;
}

/** The document of a request. */
interface RequestDocument {
  /** The text of a document that the request names. undefined if the request contains its document, or has none. */
  readonly named: string | undefined;
  /** Whether the request names a trusted document. */
  readonly isTrusted: boolean;
}

/** The parameters of a request whose document is known. */
export interface ResolvedParams extends RequestDocument {
  /** The parameters, with the document in place of its id. Throws if the request is refused. */
  readonly params: RequestParams;
  /** Whether the request is refused for its document. */
  readonly isRefused: boolean;
}

/** Finds the documents that requests name, and refuses documents that the operator does not trust. */
export interface NamedDocuments {
  /** Loads the document of a request from the documents that processes share. Undefined if there is nothing to load. Never rejects. */
  load(request: DocumentRequest): Promise<void> | undefined;
  /** The same for the parameters of a request over HTTP. */
  loadFor(params: RequestParams): Promise<void> | undefined;
  /**
   * Whether an equal request has the same document at any time, and names no height: its bytes name neither, nor ask for a proof or a quorum, and all documents are allowed. `text` is its
   * body, or its URL if it has no body.
   */
  isPlain(text: Buffer | string): boolean;
  /** Returns the document of a request, or the error that refuses it. */
  find(request: DocumentRequest, scopes: readonly string[]): RequestDocument | RequestError;
  /** The same for the parameters of a request over HTTP. */
  resolve(params: RequestParams, scopes: readonly string[]): ResolvedParams;
}

const ownDocument: RequestDocument = { named: undefined, isTrusted: false };

/** The hash of a persisted query in version 1. `other` for another form, undefined for none. */
function hashIn({ extensions }: DocumentRequest): { readonly hash: string } | 'other' | undefined {
  const persisted = extensions?.persistedQuery;
  if (typeof persisted !== 'object' || persisted === null) return undefined;
  const givenDocuments = new Map<string, unknown>(Object.entries(persisted));
  const hash = givenDocuments.get('sha256Hash');
  return givenDocuments.get('version') === 1 && typeof hash === 'string' ? { hash } : 'other';
}

/** Clients compare the message: they then send the document with its hash. */
const notFound = (): RequestError => new RequestError('PERSISTED_QUERY_NOT_FOUND', 'PersistedQueryNotFound', {});

/** Clients compare the message: they then send the document and do not ask again. */
const notSupported = (): RequestError => new RequestError('PERSISTED_QUERY_NOT_SUPPORTED', 'PersistedQueryNotSupported', {});

const notTrusted = (): RequestError =>
  new RequestError('DOCUMENT_NOT_TRUSTED', 'This server executes trusted documents only, and this is none of them.', {});

/** Creates the search for documents. With `onlyTrusted`, other documents need a token with the scope `introspect`. */
export function createNamedDocuments({
  trusted,
  persisted,
  shared,
  onlyTrusted,
}: {
  readonly trusted: TrustedDocuments;
  readonly persisted: PersistedDocuments;
  /** The documents that processes share. undefined if they share none. */
  readonly shared: SharedDocuments | undefined;
  readonly onlyTrusted: boolean;
}): NamedDocuments {
  /** Finds a document by the id of a manifest, or by its hash with the prefix of the hash function. */
  function byId(id: unknown, query: unknown): RequestDocument | RequestError | undefined {
    if (typeof id !== 'string') return badInput('documentId', typeof id, 'a string');
    if (query) return badInput('documentId', id, 'absent if the request has a `query`');
    const text = trusted.find(id) ?? trusted.find(id.replace(/^sha256:/, ''));
    return text === undefined ? undefined : { named: text, isTrusted: true };
  }

  function byHash(hash: string, mayUseAny: boolean): RequestDocument | undefined {
    const text = trusted.find(hash);
    if (text !== undefined) return { named: text, isTrusted: true };
    const knownText = mayUseAny ? persisted.get(hash) : undefined;
    return knownText === undefined ? undefined : { named: knownText, isTrusted: false };
  }

  /** Stores a document that came with its hash. Returns an error if it has another hash. */
  function persist(hash: string, text: string): RequestError | undefined {
    if (trusted.find(hash) === text) return undefined;
    if (hashOfDocument(text) !== hash) return badInput('extensions.persistedQuery.sha256Hash', hash, 'the SHA-256 of `query`');
    persisted.add(hash, text);
    shared?.add(hash, text);
    return undefined;
  }

  /** Loads the document that a request names by its hash alone, unless it is known. */
  function load(request: DocumentRequest): Promise<void> | undefined {
    if (shared === undefined || (typeof request.query === 'string' && request.query !== '')) return undefined;
    const namedHash = hashIn(request);
    if (typeof namedHash !== 'object' || trusted.find(namedHash.hash) !== undefined || persisted.has(namedHash.hash))
      return undefined;
    return shared.get(namedHash.hash).then((text) => {
      if (text !== undefined && hashOfDocument(text) === namedHash.hash) persisted.add(namedHash.hash, text);
    });
  }

  function find(request: DocumentRequest, scopes: readonly string[]): RequestDocument | RequestError {
    const mayUseAny = !onlyTrusted || scopes.includes('introspect');
    const unknown = mayUseAny ? notFound : notTrusted;
    const { query, documentId } = request;
    if (documentId !== undefined && documentId !== null) return byId(documentId, query) ?? unknown();
    const persistedQuery = hashIn(request);
    if (typeof query !== 'string' || query === '') {
      if (persistedQuery === undefined) return ownDocument;
      return persistedQuery === 'other' ? notSupported() : (byHash(persistedQuery.hash, mayUseAny) ?? unknown());
    }
    if (!mayUseAny && !trusted.includes(query)) return notTrusted();
    const wrong = typeof persistedQuery === 'object' ? persist(persistedQuery.hash, query) : undefined;
    return wrong ?? ownDocument;
  }

  return {
    load,
    isPlain(text) {
      if (onlyTrusted) return false;
      // Names that are escaped in JSON or in the URL are not found, and name nothing.
      if (typeof text === 'string') return !text.includes('documentId=') && !text.includes('extensions=');
      if (text.length < shortBody) return !namePattern.test(text.toString('latin1'));
      return !nameBytes.some((name) => text.includes(name));
    },
    loadFor(params) {
      if (shared === undefined) return undefined;
      try {
        const givenParams = params();
        return load({ ...givenParams, extensions: extensionsOf(givenParams) });
      } catch {
        // The engine calls it again, and reports the error.
        return undefined;
      }
    },
    find,
    resolve(params, scopes) {
      let givenParams: JsonObject;
      try {
        givenParams = params();
      } catch {
        // The engine calls it again, and reports the error.
        return { ...ownDocument, params, isRefused: false };
      }
      const foundDocument = find({ ...givenParams, extensions: extensionsOf(givenParams) }, scopes);
      if (foundDocument instanceof RequestError) {
        const refuse = (): never => {
          throw foundDocument.code === 'DOCUMENT_NOT_TRUSTED'
            ? refusal(foundDocument, { status: 403 })
            : refusal(foundDocument);
        };
        return { ...ownDocument, params: refuse, isRefused: true };
      }
      const { named } = foundDocument;
      const { documentId: _, ...others } = givenParams;
      return {
        ...foundDocument,
        params: named === undefined ? params : () => ({ ...others, query: named }),
        isRefused: false,
      };
    },
  };
}
