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
 * The source that every kept document seems to come from. The offset of a node in it is the index of the node's first token, so
 * documents keep no text for their locations. `locate` turns the index into a place in the text of one request.
 */
const tokenSource = new Source('');

/** One location for each index, shared by all documents. As many as the longest document had tokens. */
const known: Location[] = [];

function locationOf(index: number): Location {
  for (let next = known.length; next <= index; next += 1) {
    const token = new Token(TokenKind.NAME, next, next, 1, next + 1);
    known.push(new Location(token, token, tokenSource));
  }
  return known[index] ?? locationOf(index);
}

/** Replaces the location of each node by the index of its first token. `tokenAt` gives that index by the node's offset. */
export function locateByToken(document: DocumentNode, tokenAt: ReadonlyMap<number, number>): void {
  visit(document, {
    enter(node) {
      Object.assign(node, { loc: locationOf(tokenAt.get(node.loc?.start ?? 0) ?? 0) });
    },
  });
}

/** Gives the places of an error in the text of a request; undefined if they cannot be known. */
export type Locate = (error: GraphQLError) => readonly SourceLocation[] | undefined;

/** The places of errors whose request is not known: those in a kept document cannot be given. */
export const locateNothing: Locate = ({ source, locations }) => (source === tokenSource ? undefined : locations);

/** Makes the function that locates errors in `text`. The text is read once, when the first error is located. */
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
