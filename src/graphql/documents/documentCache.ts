import type { DocumentNode } from 'graphql';
import { LRUCache } from 'lru-cache';
import type { CacheCounts } from '../../chain/memory/sharedCache.ts';

/** A parsed document within the limits. */
export interface ParsedDocument {
  /** Hash of its normal form. */
  readonly hash: string;
  readonly document: DocumentNode;
  /** Estimate of the memory that it takes. */
  readonly bytes: number;
}

/** Parsed and validated documents by the hash of their normal form. Errors are not kept. */
export interface DocumentCache {
  /** The document with this hash; undefined if it is not kept. */
  get(hash: string): DocumentNode | undefined;
  /** Keeps a valid document. The least recently used ones are dropped to make room; one larger than the whole cache is not kept. */
  keep(parsed: ParsedDocument): void;
  stats(): CacheCounts;
}

/**
 * Bytes that a token takes once it is parsed: the most that was measured, 284, is that of a list of fields. The location of a node is
 * shared by all documents and not part of it.
 */
const tokenBytes = 320;

/** Bytes of an entry beside its tokens: its hash, its place in the cache, and what is learnt of its operations. */
const entryBytes = 1_500;

/** Estimates the memory of a document with this normal form. Long names and strings are slices that keep the text, up to two bytes a character. */
export function documentBytes(text: string, tokens: number): number {
  return entryBytes + 2 * text.length + tokens * tokenBytes;
}

/** Makes an empty cache of at most `maxBytes` by {@link documentBytes}. */
export function createDocumentCache({ maxBytes }: { readonly maxBytes: number }): DocumentCache {
  const kept = new LRUCache<string, ParsedDocument>({
    maxSize: maxBytes,
    sizeCalculation: ({ bytes }) => bytes,
    dispose(_document, _hash, reason) {
      if (reason === 'evict') evictions += 1;
    },
  });
  let hits = 0;
  let misses = 0;
  let evictions = 0;
  return {
    get(hash) {
      const found = kept.get(hash)?.document;
      if (found === undefined) misses += 1;
      else hits += 1;
      return found;
    },
    keep(parsed) {
      kept.set(parsed.hash, parsed);
    },
    stats: () => ({ bytes: kept.calculatedSize, entries: kept.size, hits, misses, evictions }),
  };
}
