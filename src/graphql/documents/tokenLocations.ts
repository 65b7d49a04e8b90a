import {
  type DocumentNode,
  type GraphQLError,
  Lexer,
  Location,
  Source,
  type SourceLocation,
  Token,
  TokenKind,
  visit,
} from 'graphql';

/**
 * The source of every cached document. The offset of a node in it is the index of the node's first token, so that documents keep no text.
 * `locate` converts the index to a location in the text of one request.
 */
const tokenSource = new Source('');

/** One location for each token index, shared by all documents. */
const known: Location[] = [];

function locationOf(index: number): Location {
  for (let next = known.length; next <= index; next += 1) {
    const token = new Token(TokenKind.NAME, next, next, 1, next + 1);
    known.push(new Location(token, token, tokenSource));
  }
  return known[index] ?? locationOf(index);
}

/** Replaces the location of each node with the index of its first token. `tokenAt` returns the index for an offset. */
export function locateByToken(document: DocumentNode, tokenAt: ReadonlyMap<number, number>): void {
  visit(document, {
    enter(node) {
      Object.assign(node, { loc: locationOf(tokenAt.get(node.loc?.start ?? 0) ?? 0) });
    },
  });
}

/** Returns the locations of an error in the text of a request; undefined if they are unknown. */
export type Locate = (error: GraphQLError) => readonly SourceLocation[] | undefined;

/** Locates nothing: for errors without the text of a request. */
export const locateNothing: Locate = ({ source, locations }) => (source === tokenSource ? undefined : locations);

/** Creates the function that locates errors in `text`. It reads the text once, for the first error. */
export function createLocate(text: string): Locate {
  let places: SourceLocation[] | undefined;

  function read(): SourceLocation[] {
    const found: SourceLocation[] = [];
    const lexer = new Lexer(new Source(text));
    for (let token = lexer.advance(); token.kind !== TokenKind.EOF; token = lexer.advance())
      found.push({ line: token.line, column: token.column });
    return found;
  }

  return (error) => {
    if (error.source !== tokenSource) return error.locations;
    places ??= read();
    return error.positions?.flatMap((index) => places?.[index] ?? []);
  };
}
