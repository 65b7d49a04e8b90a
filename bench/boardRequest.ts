import { readFileSync } from 'node:fs';

const documents = readFileSync(new URL('../schema/operations.graphql', import.meta.url), 'utf8');
const start = documents.indexOf('query Board(');

/** The operation `Board` of `schema/operations.graphql`. */
export const boardDocument = documents.slice(start, documents.indexOf('\n}\n', start) + 2);

/** Sends a GraphQL request with this body and returns the answer. Throws if it contains errors, unless they are allowed. */
export async function post(
  url: string,
  body: string,
  options: { readonly allowErrors?: boolean; readonly headers?: Readonly<Record<string, string>> } = {},
): Promise<string> {
  const headers = { 'content-type': 'application/json', ...options.headers };
  const response = await fetch(`${url}/graphql`, { method: 'POST', headers, body });
  const text = await response.text();
  if (!response.ok || (text.includes('"errors"') && options.allowErrors !== true)) throw new Error(text.slice(0, 500));
  return text;
}

/** Returns the address of the group policy with the most proposals, from a running Stele. */
export async function busiestPolicy(url: string, headers: Readonly<Record<string, string>> = {}): Promise<string> {
  const query = '{ groups { nodes { policies { nodes { address proposals(first: 0) { totalCount } } } } } }';
  const policies: { address: string; proposals: { totalCount: string } }[] = JSON.parse(
    await post(url, JSON.stringify({ query }), { headers }),
  ).data.groups.nodes.flatMap((group: { policies: { nodes: unknown[] } }) => group.policies.nodes);
  const [first] = policies.toSorted((a, b) => Number(b.proposals.totalCount) - Number(a.proposals.totalCount));
  if (first === undefined) throw new Error('no policy');
  return first.address;
}
