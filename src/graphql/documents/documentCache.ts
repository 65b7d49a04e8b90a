import type { DocumentNode } from 'graphql';
import { LRUCache } from 'lru-cache';
import { type CacheCounts, textBytes } from '../../chain/memory/memoryBudget.ts';

/** A parsed document that passed the limits. */
export interface ParsedDocument {
  /** Hash of its normal form. */
  readonly hash: string;
  readonly document: DocumentNode;
  /** Its text in the request that it was parsed for. */
  readonly text: string;
  /** Estimated memory, in bytes. */
  readonly bytes: number;
}

/** Parsed and validated documents by the hash of their normal form. Invalid documents are not kept. What is compiled of a document lives as long as it. */
export interface DocumentCache {
  /** Returns the document with this hash; undefined if it is not in the cache. */
  get(hash: string): DocumentNode | undefined;
  /** Returns the hash of the document that was parsed from exactly this text; undefined if none is in the cache. */
  hashOf(text: string): string | undefined;
  /** Adds a valid document. Evicts the least recently used documents to make room. Ignores a document larger than the whole cache. */
  keep(parsed: ParsedDocument): void;
  /** Adds bytes to the memory of the document with these definitions. Does nothing if the document is not in the cache. */
  grow(definitions: DocumentNode['definitions'], bytes: number): void;
  stats(): CacheCounts;
}

/**
 * Bytes of a token after parsing. The largest measured value is 284, for a list of fields. Locations of nodes are shared by all documents and not
 * included.
 */
const tokenBytes = 320;

/** Bytes of an entry besides its tokens: its hash, its place in the cache, and the costs of its operations. */
const entryBytes = 1_500;

/**
 * Estimates the memory of a document with this normal form, in bytes. Long names and strings are slices that keep the text: up to two bytes a
 * character. `sent` is the text of its request.
 */
export function documentBytes(text: string, tokens: number, sent: string): number {
  return entryBytes + 2 * text.length + tokens * tokenBytes + textBytes(sent);
}

/** Creates an empty cache of at most `maxBytes`, measured by {@link documentBytes} and `grow`. */
export function createDocumentCache({ maxBytes }: { readonly maxBytes: number }): DocumentCache {
  const kept = new LRUCache<string, ParsedDocument>({
    maxSize: maxBytes,
    sizeCalculation: ({ bytes }) => bytes,
    dispose({ text, hash }, _hash, reason) {
      if (reason === 'evict') evictions += 1;
      if (texts.get(text) === hash) texts.delete(text);
    },
  });
  /** The hashes of the kept documents, by the text of each. */
  const texts = new Map<string, string>();
  const hashes = new WeakMap<DocumentNode['definitions'], string>();
  let hits = 0;
  let misses = 0;
  let evictions = 0;

  function put(parsed: ParsedDocument): void {
    kept.set(parsed.hash, parsed);
    // A document that is too large is not kept.
    if (kept.has(parsed.hash)) texts.set(parsed.text, parsed.hash);
  }

  return {
    get(hash) {
      const found = kept.get(hash)?.document;
      if (found === undefined) misses += 1;
      else hits += 1;
      return found;
    },
    hashOf: (text) => texts.get(text),
    keep(parsed) {
      put(parsed);
      hashes.set(parsed.document.definitions, parsed.hash);
    },
    grow(definitions, bytes) {
      const parsed = kept.peek(hashes.get(definitions) ?? '');
      // Another copy of the document may have taken its place.
      if (parsed?.document.definitions !== definitions) return;
      put({ ...parsed, bytes: parsed.bytes + bytes });
    },
    stats: () => ({ bytes: kept.calculatedSize, entries: kept.size, hits, misses, evictions }),
  };
}
