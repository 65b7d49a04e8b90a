import { readFileSync } from 'node:fs';
import { buildSubgraphSchema } from '@apollo/subgraph';
import { parse } from 'graphql';
import { createYoga } from 'graphql-yoga';

/** Labels of accounts of the development chain. */
const labels = new Map([
  ['tp16klf3cny45skpulz4kazm9dx9fd44usmuglaar', 'Ada'],
  ['tp18drh68cvkx5htp77e2nt3ay0q80mmzk6lh9a8s', 'Ben'],
  ['tp1umcl9tzmlhv2lldcaf27q39t65f2uhhgvh6kc3', 'Cleo'],
  ['tp1hkqwktv3u4yrwkayw7f48cnw94wj6urt2uzc25', 'Dan'],
]);

/** Comments on its proposals, newest first. */
const comments = [
  { id: '3', proposal: '6', author: 'tp16klf3cny45skpulz4kazm9dx9fd44usmuglaar', text: 'Who would run it, and for how long?' },
  { id: '2', proposal: '5', author: 'tp1hkqwktv3u4yrwkayw7f48cnw94wj6urt2uzc25', text: 'The hall is cheaper in May.' },
  { id: '1', proposal: '5', author: 'tp18drh68cvkx5htp77e2nt3ay0q80mmzk6lh9a8s', text: 'We can host it here.' },
];

const resolvers = {
  Query: { comments: (_, { first }) => comments.slice(0, first) },
  Comment: {
    author: ({ author }) => ({ address: author }),
    proposal: ({ proposal }) => ({ id: proposal }),
  },
  Proposal: { comments: ({ id }) => comments.filter(({ proposal }) => proposal === id) },
  Account: { label: ({ address }) => labels.get(address) ?? null },
};

/** The subgraph with comments and labels, as a listener for `node:http`. It does not read the chain. */
export const notes = createYoga({
  schema: buildSubgraphSchema({
    typeDefs: parse(readFileSync(new URL('notes.graphql', import.meta.url), 'utf8')),
    resolvers,
  }),
  logging: false,
});
