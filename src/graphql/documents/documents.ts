import { createHash } from 'node:crypto';
import {
  type ArgumentNode,
  type DocumentNode,
  type FragmentDefinitionNode,
  type GraphQLError,
  Kind,
  Lexer,
  type OperationDefinitionNode,
  parse,
  type SelectionSetNode,
  Source,
  TokenKind,
  type VariableDefinitionNode,
  visit,
} from 'graphql';
import { LRUCache } from 'lru-cache';
import { type CacheCounts, textBytes } from '../../chain/memory/memoryBudget.ts';
import type { LimitName, Limits } from '../../config/limits/limits.ts';
import { RequestError } from '../../reads/errors.ts';
import { jsonLiteral } from '../../schema/scalars.ts';
import { refusal, tokenLocations, tooComplex } from './errors.ts';

/** What one walk over a document finds. */
interface DocumentFacts {
  aliases: number;
  directives: number;
  readonly arguments: ArgumentNode[];
  readonly variables: VariableDefinitionNode[];
  /** Variables, and the one of {@link ownArguments} that each of them is used as. undefined for one that has another use. */
  readonly uses: Map<string, string | undefined>;
}

/** Arguments with their own limit: `tx` may be as long as a transaction, `representations` has `graphql.representations`. */
const ownArguments: readonly string[] = ['tx', 'representations'];

/** The uses of variables, by the definitions of their document. */
const knownUses = new WeakMap<DocumentNode['definitions'], DocumentFacts['uses']>();

/** Walks over a document. With `tokenAt`, it replaces the location of each node with the index of its first token. */
function readFacts(document: DocumentNode, tokenAt?: ReadonlyMap<number, number>): DocumentFacts {
  const facts: DocumentFacts = { aliases: 0, directives: 0, arguments: [], variables: [], uses: new Map() };
  const locations = tokenLocations(tokenAt?.size ?? 0);
  visit(document, {
    enter(node, _key, parent) {
      if (tokenAt !== undefined) Object.assign(node, { loc: locations[tokenAt.get(node.loc?.start ?? 0) ?? 0] });
      if (node.kind === Kind.FIELD && node.alias !== undefined) facts.aliases += 1;
      else if (node.kind === Kind.DIRECTIVE) facts.directives += 1;
      else if (node.kind === Kind.ARGUMENT) facts.arguments.push(node);
      else if (node.kind === Kind.VARIABLE_DEFINITION) facts.variables.push(node);
      else if (node.kind === Kind.VARIABLE) {
        const user = parent !== undefined && 'kind' in parent ? parent : undefined;
        if (user?.kind === Kind.VARIABLE_DEFINITION) return;
        const name = node.name.value;
        const use = user?.kind === Kind.ARGUMENT && ownArguments.includes(user.name.value) ? user.name.value : undefined;
        facts.uses.set(name, facts.uses.has(name) && facts.uses.get(name) !== use ? undefined : use);
      }
    },
  });
  knownUses.set(document.definitions, facts.uses);
  return facts;
}

/** The depth and the number of fields of a selection, fragments expanded. */
interface Shape {
  readonly depth: number;
  readonly width: number;
}

/**
 * Checks the shape of a parsed document: its aliases, directives, depth and root fields. Throws OPERATION_TOO_COMPLEX. Then the values in it: literals and
 * defaults of variables. Their limits are those of variables.
 */
function checkDocument({ definitions }: DocumentNode, facts: DocumentFacts, limits: Limits): void {
  const { aliases, directives } = facts;
  if (aliases > limits['graphql.aliases']) throw tooComplex(limits, 'graphql.aliases', 'aliases', aliases);
  if (directives > limits['graphql.directives']) throw tooComplex(limits, 'graphql.directives', 'directives', directives);
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const node of definitions) if (node.kind === Kind.FRAGMENT_DEFINITION) fragments.set(node.name.value, node);
  const knownShapes = new Map<string, Shape>();

  /** Each fragment is measured once, however often it is spread. Validation rejects fragments that include themselves. */
  function shapeOfFragment(name: string): Shape {
    const knownShape = knownShapes.get(name);
    if (knownShape !== undefined) return knownShape;
    knownShapes.set(name, { depth: 0, width: 0 });
    const fragment = fragments.get(name);
    const shape = fragment === undefined ? { depth: 0, width: 0 } : shapeOf(fragment.selectionSet);
    knownShapes.set(name, shape);
    return shape;
  }

  function shapeOf({ selections }: SelectionSetNode): Shape {
    let [depth, width] = [0, 0];
    for (const node of selections) {
      if (node.kind === Kind.FIELD) {
        width += 1;
        if (node.name.value === '__schema' || node.name.value === '__type') continue;
        depth = Math.max(depth, 1 + (node.selectionSet === undefined ? 0 : shapeOf(node.selectionSet).depth));
      } else {
        const shape = node.kind === Kind.INLINE_FRAGMENT ? shapeOf(node.selectionSet) : shapeOfFragment(node.name.value);
        width += shape.width;
        depth = Math.max(depth, shape.depth);
      }
    }
    return { depth, width };
  }

  for (const node of definitions) {
    // Unused fragments too: validation rejects them, but traverses them first.
    if (node.kind !== Kind.OPERATION_DEFINITION && node.kind !== Kind.FRAGMENT_DEFINITION) continue;
    const { depth, width } = shapeOf(node.selectionSet);
    if (depth > limits['graphql.depth']) throw tooComplex(limits, 'graphql.depth', 'fields within one another', depth);
    if (node.kind === Kind.OPERATION_DEFINITION && width > limits['graphql.rootFields'])
      throw tooComplex(limits, 'graphql.rootFields', 'fields of an operation itself', width);
  }
  for (const { name, value } of facts.arguments) checkValue(limits, name.value, name.value, jsonLiteral(value));
  for (const { variable, defaultValue } of facts.variables) {
    const name = variable.name.value;
    if (defaultValue !== undefined) checkValue(limits, `$${name}`, facts.uses.get(name), jsonLiteral(defaultValue));
  }
}

/** Keys that no input has and that reach the prototype of objects in careless code. */
const unsafeNames: readonly string[] = ['__proto__', 'constructor', 'prototype'];

/**
 * Checks one value. Errors call it `name`. `argument` is the field argument that it is used for. Throws BAD_USER_INPUT with the name of the
 * limit.
 */
function checkValue(limits: Limits, name: string, argument: string | undefined, value: unknown): void {
  if (typeof value !== 'object' && typeof value !== 'string') return;
  const maxString = limits['variables.string'];

  function passed(limit: LimitName, what: string): GraphQLError {
    const max = limits[limit];
    const message = `\`${name}\` has ${what} (${limit}): at most ${max}.`;
    return refusal(new RequestError('BAD_USER_INPUT', message, { argument: name.replace('$', ''), limit, max }));
  }

  // Without recursion: a value that is too deep is rejected on the way down.
  let level: readonly unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > limits['variables.depth']) throw passed('variables.depth', 'values too deep within one another');
    const inner: unknown[] = [];
    for (const each of level) {
      // A character has at most three bytes.
      if (typeof each === 'string' && argument !== 'tx' && 3 * each.length > maxString && Buffer.byteLength(each) > maxString)
        throw passed('variables.string', 'a string with too many bytes');
      if (typeof each !== 'object' || each === null) continue;
      if (Array.isArray(each)) {
        const isOwn = argument === 'representations' && each === value;
        if (!isOwn && each.length > limits['variables.items']) throw passed('variables.items', 'a list with too many items');
      } else if (Object.getOwnPropertyNames(each).some((key) => unsafeNames.includes(key))) {
        const message = `\`${name}\` has a key that no input has.`;
        throw refusal(new RequestError('BAD_USER_INPUT', message, { argument: name.replace('$', '') }));
      }
      for (const member of Object.values(each)) inner.push(member);
    }
    level = inner;
  }
}

/** Creates the check of the variables of an operation. Undeclared variables are ignored. */
export function createVariableCheck(limits: Limits) {
  return (document: DocumentNode, operation: OperationDefinitionNode, variables: Readonly<Record<string, unknown>>): void => {
    for (const key of Object.getOwnPropertyNames(variables))
      if (unsafeNames.includes(key))
        throw refusal(new RequestError('BAD_USER_INPUT', 'The variables have a key that no input type has.', {}));
    for (const { variable } of operation.variableDefinitions ?? []) {
      const name = variable.name.value;
      if (!Object.hasOwn(variables, name)) continue;
      // The document of a plugin was not read here.
      const uses = knownUses.get(document.definitions) ?? readFacts(document).uses;
      checkValue(limits, `$${name}`, uses.get(name), variables[name]);
    }
  };
}

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
  /** Returns the document that was parsed from exactly this text; undefined if none is in the cache. It does not count as a use. */
  ofText(text: string): ParsedDocument | undefined;
  /** Adds a valid document. Evicts the least recently used documents to make room. Ignores a document larger than the whole cache. */
  keep(parsed: ParsedDocument): void;
  /** Adds bytes to the memory of the document with these definitions. Does nothing if the document is not in the cache. */
  grow(definitions: DocumentNode['definitions'], bytes: number): void;
  /** Drops all documents, because they were valid for another schema. */
  clear(): void;
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

  function keep(parsed: ParsedDocument): void {
    keptDocuments.set(parsed.hash, parsed, { size: parsed.bytes });
    // A document that is too large is not kept.
    if (keptDocuments.has(parsed.hash)) texts.set(parsed.text, parsed.hash);
    hashes.set(parsed.document.definitions, parsed.hash);
  }

  return {
    get(hash) {
      const document = keptDocuments.get(hash)?.document;
      if (document === undefined) misses += 1;
      else hits += 1;
      return document;
    },
    ofText: (text) => keptDocuments.peek(texts.get(text) ?? ''),
    keep,
    grow(definitions, bytes) {
      const parsed = keptDocuments.peek(hashes.get(definitions) ?? '');
      // Another copy of the document may have taken its place.
      if (parsed?.document.definitions === definitions) keep({ ...parsed, bytes: parsed.bytes + bytes });
    },
    clear: () => keptDocuments.clear(),
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
  /** Documents that are parsed but not validated yet. */
  const parsed = new WeakMap<DocumentNode['definitions'], ParsedDocument>();
  const valid = new WeakSet<DocumentNode['definitions']>();

  /** Parses a text that no document in the cache was parsed from. */
  function read(text: string): DocumentNode {
    const source = new Source(text);
    const { text: normal, hash, tokenAt } = readNormalForm(source, limits);
    const sameTokens = cache.get(hash);
    if (sameTokens !== undefined) return sameTokens;
    let document: DocumentNode;
    try {
      document = parse(normal);
    } catch {
      // A syntax error is located in the text of the request.
      document = parse(source);
    }
    const facts = readFacts(document, tokenAt);
    checkDocument(document, facts, limits);
    // A copy, because the text may be a part of the body of the request.
    const copy = Buffer.from(text).toString();
    parsed.set(document.definitions, { hash, document, text: copy, bytes: documentBytes(normal, tokenAt.size, copy) });
    return document;
  }

  return {
    parse(text) {
      const sameText = cache.ofText(text);
      // A copy, because Envelop keeps the text of the request as long as the document that it gets.
      return (sameText && cache.get(sameText.hash)) ?? { ...read(text) };
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
