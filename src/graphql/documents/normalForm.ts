import { createHash } from 'node:crypto';
import { Lexer, type Source, TokenKind } from 'graphql';
import type { Limits } from '../../config/limits/limits.ts';
import { tooComplex } from '../limits/limitError.ts';

const opening: readonly TokenKind[] = [TokenKind.BRACE_L, TokenKind.BRACKET_L, TokenKind.PAREN_L];
const closing: readonly TokenKind[] = [TokenKind.BRACE_R, TokenKind.BRACKET_R, TokenKind.PAREN_R];

/** A document reduced to its tokens. Two texts that differ only in comments, whitespace and commas have the same normal form. */
export interface NormalForm {
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
export function readNormalForm(source: Source, limits: Limits): NormalForm {
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
