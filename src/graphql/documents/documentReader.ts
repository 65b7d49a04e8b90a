import { type DocumentNode, GraphQLError, parse, Source } from 'graphql';
import type { Limits } from '../../config/limits/limits.ts';
import { checkShape } from '../limits/documentLimits.ts';
import { createDocumentValueCheck } from '../limits/variableLimits.ts';
import { type DocumentCache, documentBytes, type ParsedDocument } from './documentCache.ts';
import { readNormalForm } from './normalForm.ts';
import { locateByToken } from './tokenLocations.ts';

/** Parses and validates documents. */
export interface DocumentReader {
  /**
   * Parses a document within the limits on its text, shape and literal values. A cached document is not parsed again.
   * Throws OPERATION_TOO_COMPLEX over a limit, BAD_USER_INPUT over a limit on a value, and GRAPHQL_PARSE_FAILED for a syntax error.
   * Takes linear time, and no input overflows the stack.
   */
  parse(text: string): DocumentNode;
  /** Returns the validation errors of a parsed document. Calls `validate` unless the document is known to be valid, and caches a valid document. */
  validate(document: DocumentNode, validate: () => readonly GraphQLError[]): readonly GraphQLError[];
}

/** Creates a reader that keeps valid documents in `cache`. */
export function createDocumentReader(limits: Limits, cache: DocumentCache): DocumentReader {
  const checkValues = createDocumentValueCheck(limits);
  /** Documents that are parsed but not validated yet. */
  const parsed = new WeakMap<DocumentNode, ParsedDocument>();
  const valid = new WeakSet<DocumentNode>();

  function parseAndCheck(text: string): DocumentNode {
    const same = cache.hashOf(text);
    const kept = same === undefined ? undefined : cache.get(same);
    if (kept !== undefined) return kept;
    const source = new Source(text);
    const { text: normal, hash, tokenAt } = readNormalForm(source, limits);
    const known = cache.get(hash);
    if (known !== undefined) return known;
    const document = parseNormal(normal, source);
    locateByToken(document, tokenAt);
    checkShape(document, limits);
    checkValues(document);
    // A copy, because the text may be a part of the body of the request.
    const sent = Buffer.from(text).toString();
    parsed.set(document, { hash, document, text: sent, bytes: documentBytes(normal, tokenAt.size, sent) });
    return document;
  }

  return {
    parse(text) {
      try {
        return parseAndCheck(text);
      } catch (error) {
        if (!(error instanceof GraphQLError) || error.originalError !== undefined) throw error;
        throw new GraphQLError(error.message, {
          source: error.source ?? null,
          positions: error.positions ?? null,
          extensions: { code: 'GRAPHQL_PARSE_FAILED', http: { status: 400, spec: true } },
        });
      }
    },
    validate(document, validate) {
      if (valid.has(document)) return [];
      const errors = validate();
      const own = parsed.get(document);
      if (errors.length === 0 && own !== undefined) {
        valid.add(document);
        parsed.delete(document);
        cache.keep(own);
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
