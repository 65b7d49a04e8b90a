import { createHash } from 'node:crypto';
import { type DocumentNode, type GraphQLError, Lexer, parse, Source, TokenKind } from 'graphql';
import { LRUCache } from 'lru-cache';
import { type CacheCounts, textBytes } from '../../chain/memory/memoryBudget.ts';
import type { Limits } from '../../config/limits/limits.ts';
import { checkShape, createDocumentValueCheck } from './documentLimits.ts';
import { locateByToken, tooComplex } from './errors.ts';

/** A parsed document that passed the limits. */
interface ParsedDocument {
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
  /** Returns the copy of a text that is in the cache; undefined if none is. */
  copyOf(text: string): string | undefined;
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
export function documentBytes(text: string, tokens: number, sentText: string): number {
  return entryBytes + 2 * text.length + tokens * tokenBytes + textBytes(sentText);
}

/** Creates an empty cache of at most `maxBytes`, measured by {@link documentBytes} and `grow`. */
export function createDocumentCache({ maxBytes }: { readonly maxBytes: number }): DocumentCache {
  const keptDocuments = new LRUCache<string, ParsedDocument>({
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
    keptDocuments.set(parsed.hash, parsed);
    // A document that is too large is not kept.
    if (keptDocuments.has(parsed.hash)) texts.set(parsed.text, parsed.hash);
  }

  return {
    get(hash) {
      const document = keptDocuments.get(hash)?.document;
      if (document === undefined) misses += 1;
      else hits += 1;
      return document;
    },
    hashOf: (text) => texts.get(text),
    copyOf: (text) => keptDocuments.peek(texts.get(text) ?? '')?.text,
    keep(parsed) {
      put(parsed);
      hashes.set(parsed.document.definitions, parsed.hash);
    },
    grow(definitions, bytes) {
      const parsed = keptDocuments.peek(hashes.get(definitions) ?? '');
      // Another copy of the document may have taken its place.
      if (parsed?.document.definitions !== definitions) return;
      put({ ...parsed, bytes: parsed.bytes + bytes });
    },
    stats: () => ({ bytes: keptDocuments.calculatedSize, entries: keptDocuments.size, hits, misses, evictions }),
  };
}

const opening: readonly TokenKind[] = [TokenKind.BRACE_L, TokenKind.BRACKET_L, TokenKind.PAREN_L];
const closing: readonly TokenKind[] = [TokenKind.BRACE_R, TokenKind.BRACKET_R, TokenKind.PAREN_R];

/** A document reduced to its tokens. Two texts that differ only in comments, whitespace and commas have the same normal form. */
interface NormalForm {
  /** The tokens, separated by single spaces. A copy, so that it does not keep the text of the request in memory. */
  readonly text: string;
  /** SHA-256 of `text`, in base64. */
  readonly hash: string;
  /** The index of each token by its offset in `text`. */
  readonly tokenAt: ReadonlyMap<number, number>;
}

/**
 * Creates the normal form of a document and applies the limits that must hold before parsing: bytes, then tokens and nesting. The parser is
 * recursive, and values nested 2,000 deep overflow its stack. Throws OPERATION_TOO_COMPLEX, or a syntax error located in `source`.
 */
function readNormalForm(source: Source, limits: Limits): NormalForm {
  const { body } = source;
  const bytes = Buffer.byteLength(body);
  if (bytes > limits['graphql.bytes']) throw tooComplex(limits, 'graphql.bytes', 'bytes', bytes);
  const maxTokens = limits['graphql.tokens'];
  let tokens = 0;
  // The lexer skips any number of comments in one step, so they are counted first.
  for (let at = body.indexOf('#'); at !== -1; at = body.indexOf('#', at + 1)) {
    tokens += 1;
    if (tokens > maxTokens) throw tooComplex(limits, 'graphql.tokens', 'tokens');
  }
  const parts: string[] = [];
  const tokenAt = new Map<number, number>();
  let offset = 0;
  let nesting = 0;
  const lexer = new Lexer(source);
  for (;;) {
    const { kind, start, end } = lexer.advance();
    if (kind === TokenKind.EOF) break;
    tokens += 1;
    if (tokens > maxTokens) throw tooComplex(limits, 'graphql.tokens', 'tokens');
    if (opening.includes(kind)) nesting += 1;
    else if (closing.includes(kind)) nesting -= 1;
    if (nesting > limits['graphql.nesting']) throw tooComplex(limits, 'graphql.nesting', 'brackets within one another');
    tokenAt.set(offset, parts.length);
    parts.push(body.slice(start, end));
    offset += end - start + 1;
  }
  // join copies; slices would keep the whole body in memory.
  const text = parts.join(' ');
  return { text, hash: createHash('sha256').update(text).digest('base64'), tokenAt };
}

/** Parses and validates documents. */
interface DocumentReader {
  /**
   * Parses a document within the limits on its text, shape and literal values. A cached document is not parsed again.
   * Throws OPERATION_TOO_COMPLEX over a limit, BAD_USER_INPUT over a limit on a value, and a GraphQLError for a syntax error.
   * Takes linear time, and no input overflows the stack.
   */
  parse(text: string): DocumentNode;
  /** Returns the validation errors of a parsed document. Calls `validate` unless the document is known to be valid, and caches a valid document. */
  validate(document: DocumentNode, validate: () => readonly GraphQLError[]): readonly GraphQLError[];
}

export function createDocumentReader(limits: Limits, cache: DocumentCache): DocumentReader {
  const checkValues = createDocumentValueCheck(limits);
  /** Documents that are parsed but not validated yet. */
  const parsed = new WeakMap<DocumentNode['definitions'], ParsedDocument>();
  const valid = new WeakSet<DocumentNode['definitions']>();

  /** Parses a text that no document in the cache was parsed from. */
  function read(text: string): DocumentNode {
    const source = new Source(text);
    const { text: normal, hash, tokenAt } = readNormalForm(source, limits);
    const sameTokens = cache.get(hash);
    if (sameTokens !== undefined) return sameTokens;
    const document = parseNormal(normal, source);
    locateByToken(document, tokenAt);
    checkShape(document, limits);
    checkValues(document);
    // A copy, because the text may be a part of the body of the request.
    const copy = Buffer.from(text).toString();
    parsed.set(document.definitions, { hash, document, text: copy, bytes: documentBytes(normal, tokenAt.size, copy) });
    return document;
  }

  return {
    parse(text) {
      const hash = cache.hashOf(text);
      const sameText = hash === undefined ? undefined : cache.get(hash);
      // A copy, because Envelop keeps the text of the request as long as the document that it gets.
      return sameText ?? { ...read(text) };
    },
    validate({ definitions }, validate) {
      if (valid.has(definitions)) return [];
      const errors = validate();
      const unkept = parsed.get(definitions);
      if (errors.length === 0 && unkept !== undefined) {
        valid.add(definitions);
        parsed.delete(definitions);
        cache.keep(unkept);
      }
      return errors;
    },
  };
}

/** Parses the normal form of a document. A syntax error is located in the text of the request. */
function parseNormal(normal: string, source: Source): DocumentNode {
  try {
    return parse(normal);
  } catch {
    return parse(source);
  }
}
