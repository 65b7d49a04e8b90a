import { createServer } from 'node:http';
import { createSchema, createYoga } from 'graphql-yoga';

/** A comment on a proposal. */
export interface Comment {
  readonly id: string;
  readonly text: string;
  readonly author: string;
  readonly proposal: string;
}

/** A small subgraph with comments on proposals and labels of accounts. */
export interface Notes {
  readonly url: string;
  /** Its schema, with federation directives. */
  readonly typeDefs: string;
  comments: Comment[];
  /** The documents of the received requests. */
  readonly requests: string[];
  close(): Promise<void>;
}

/** The fields that a router queries, and the federation directives. */
const federation = `
  directive @link(url: String!, import: [String!]) repeatable on SCHEMA
  directive @key(fields: String!) repeatable on OBJECT
  scalar _Any
  union _Entity = Account | Proposal
  extend type Query { _entities(representations: [_Any!]!): [_Entity]! }
`;

/** The label of an account. */
export function labelOf(address: string): string {
  return `who ends in ${address.slice(-3)}`;
}

/** Starts the subgraph on a free port. `typeDefs` is its schema. */
export async function startNotes(typeDefs: string): Promise<Notes> {
  const requests: string[] = [];
  const reference = (representation: object): object => representation;
  const yoga = createYoga({
    logging: false,
    schema: createSchema({
      typeDefs: [typeDefs, federation],
      resolvers: {
        Query: {
          comments: (_: unknown, { first }: { first: number }) => notes.comments.slice(0, first),
          _entities: (_: unknown, { representations }: { representations: object[] }) => representations.map(reference),
        },
        _Entity: { __resolveType: ({ __typename }: { __typename: string }) => __typename },
        Comment: {
          author: ({ author }: Comment) => ({ address: author }),
          proposal: ({ proposal }: Comment) => ({ id: proposal }),
        },
        Proposal: { comments: ({ id }: { id: string }) => notes.comments.filter(({ proposal }) => proposal === id) },
        Account: { label: ({ address }: { address: string }) => labelOf(address) },
      },
    }),
    plugins: [{ onParams: ({ params }) => void requests.push(params.query ?? '') }],
  });
  const server = createServer(yoga);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('it listens on no port');
  const notes: Notes = {
    url: `http://127.0.0.1:${address.port}/graphql`,
    typeDefs,
    comments: [],
    requests,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return notes;
}
