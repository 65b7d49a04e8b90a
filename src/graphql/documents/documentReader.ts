import { type DocumentNode, GraphQLError, parse, Source } from 'graphql';
import type { Limits } from '../../config/limits/limits.ts';
import { checkShape } from '../limits/documentLimits.ts';
import { createDocumentValueCheck } from '../limits/variableLimits.ts';
import { type DocumentCache, documentBytes, type ParsedDocument } from './documentCache.ts';
import { readNormalForm } from './normalForm.ts';
import { locateByToken } from './tokenLocations.ts';

/** Reads documents. */
export interface DocumentReader {
  /**
   * Parses a document within the limits on its text, its shape and the values that it holds. A valid one that is kept is not parsed again.
   * A limit that is passed is OPERATION_TOO_COMPLEX, or BAD_USER_INPUT for a value; text that is no document is GRAPHQL_PARSE_FAILED.
   * Nothing that a caller sends overflows the stack or takes longer than reading it once. The result is an object of its own for
   * each call: the engine keeps the text of the request for as long as that object lives.
   */
  parse(text: string): DocumentNode;
  /** Errors of a parsed document by `validate`, which is not called for one that is known to be valid. A valid document is kept. */
  validate(document: DocumentNode, validate: () => readonly GraphQLError[]): readonly GraphQLError[];
}

/** Makes the reader. Valid documents are kept in `cache`. */
export function createDocumentReader(limits: Limits, cache: DocumentCache): DocumentReader {
  const checkValues = createDocumentValueCheck(limits);
  /** Documents that were parsed for a request and not validated yet. */
  const parsed = new WeakMap<DocumentNode, ParsedDocument>();
  const valid = new WeakSet<DocumentNode>();

  function parseAndCheck(text: string): DocumentNode {
    const source = new Source(text);
    const { text: normal, hash, tokenAt } = readNormalForm(source, limits);
    const known = cache.get(hash);
    if (known !== undefined) {
      const own = { ...known };
      valid.add(own);
      return own;
    }
    const document = parseNormal(normal, source);
    locateByToken(document, tokenAt);
    checkShape(document, limits);
    checkValues(document);
    const own = { ...document };
    parsed.set(own, { hash, document, bytes: documentBytes(normal, tokenAt.size) });
    return own;
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
      if (errors.length === 0 && own !== undefined) cache.keep(own);
      return errors;
    },
  };
}

/** Parses the normal form of a document. The error of one that does not parse is located in the text of the request. */
function parseNormal(normal: string, source: Source): DocumentNode {
  try {
    return parse(normal);
  } catch {
    return parse(source);
  }
}
