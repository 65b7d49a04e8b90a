import type { JsonObject, JsonValue } from '../../chain/json.ts';
import type { Example, Examples } from './document.ts';

/** Who the collection asks as. What is undefined is for people to fill in. */
export interface CollectionClient {
  /** `http://host:port` of this server. */
  readonly baseUrl: string;
  /** Where tokens are asked for. */
  readonly tokenUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly audience: string;
}

/** Asks for a token before a request where there is none that holds for a while yet. */
const tokenScript = `const holds = Number(pm.collectionVariables.get('tokenEnds') || 0) > Date.now() + 30000;
if (!holds) {
  const body = {
    client_id: pm.collectionVariables.get('clientId'),
    client_secret: pm.collectionVariables.get('clientSecret'),
    audience: pm.collectionVariables.get('audience'),
    grant_type: 'client_credentials',
  };
  pm.sendRequest({
    url: pm.collectionVariables.replaceIn('{{tokenUrl}}'),
    method: 'POST',
    header: { 'content-type': 'application/json' },
    body: { mode: 'raw', raw: JSON.stringify(body) },
  }, (error, response) => {
    if (error || response.code !== 200) throw new Error('no token: fill in clientId and clientSecret');
    const grant = response.json();
    pm.collectionVariables.set('token', grant.access_token);
    pm.collectionVariables.set('tokenEnds', String(Date.now() + grant.expires_in * 1000));
  });
}`;

const graphQuery = `{
  head { height time }
  groups(first: 3) { nodes { id metadata totalWeight policies { nodes { address } } } }
}`;

interface Operation {
  readonly tags?: readonly string[];
  readonly summary?: string;
  readonly description?: string;
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
  readonly requestBody?: { readonly content: { readonly 'application/json': { readonly example?: JsonValue } } };
}

function encodePath(value: string): string {
  return value.split('/').map(encodeURIComponent).join('/');
}

/** A request with the arguments of its example. */
function itemOf(path: string, method: string, operation: Operation, { parameters }: Example): JsonObject {
  const { summary = path, description = '', requestBody } = operation;
  const where = new Map(operation.parameters?.map((each) => [each.name, each.in]));
  const filled = path.replace(/\{([^}]+)\}/g, (_, name: string) => encodePath(parameters[name] ?? ''));
  const named = (place: string): [string, string][] => Object.entries(parameters).filter(([name]) => where.get(name) === place);
  const query = named('query').map(([key, value]) => ({ key, value: encodeURIComponent(value) }));
  const search = query.map(({ key, value }) => `${key}=${value}`).join('&');
  const body = requestBody?.content['application/json'].example;
  return {
    name: summary,
    request: {
      method: method.toUpperCase(),
      description,
      header: [
        ...named('header').map(([key, value]) => ({ key, value })),
        ...(body === undefined ? [] : [{ key: 'content-type', value: 'application/json' }]),
      ],
      url: {
        raw: `{{baseUrl}}${filled}${search === '' ? '' : `?${search}`}`,
        host: ['{{baseUrl}}'],
        path: filled.slice(1).split('/'),
        ...(query.length > 0 && { query }),
      },
      ...(body !== undefined && { body: { mode: 'raw', raw: JSON.stringify(body) } }),
    },
  };
}

/** The requests of a description that have an example, by its tags: those have an answer on the chain that the server carries with it. */
function foldersOf(description: JsonObject, examples: Examples): readonly JsonObject[] {
  const folders = new Map<string, JsonObject[]>();
  // What our own description is made of.
  const paths = description.paths as Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  for (const [path, operations] of Object.entries(paths)) {
    const example = examples[path];
    if (example === undefined) continue;
    for (const [method, operation] of Object.entries(operations)) {
      const tag = operation.tags?.[0] ?? '';
      const folder = folders.get(tag) ?? [];
      folders.set(tag, folder);
      folder.push(itemOf(path, method, operation, example));
    }
  }
  return [...folders].map(([name, item]) => ({ name, item }));
}

/** A collection of requests in the format Postman v2.1, which gets its token by itself. */
export function createCollection(
  descriptions: readonly { readonly name: string; readonly description: JsonObject; readonly examples: Examples }[],
  client: CollectionClient,
): JsonObject {
  const variables: Readonly<Record<string, string>> = { ...client, token: '', tokenEnds: '0' };
  const graph = {
    name: 'A query of the graph',
    request: {
      method: 'POST',
      header: [{ key: 'content-type', value: 'application/json' }],
      url: { raw: '{{baseUrl}}/graphql', host: ['{{baseUrl}}'], path: ['graphql'] },
      body: { mode: 'raw', raw: JSON.stringify({ query: graphQuery }) },
    },
  };
  return {
    info: {
      name: 'Stele',
      description:
        'The node RPC, the application over REST, the aggregates and the graph. Fill in `clientId` and `clientSecret`; the token is had by itself.',
      schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    },
    auth: { type: 'bearer', bearer: [{ key: 'token', value: '{{token}}', type: 'string' }] },
    event: [{ listen: 'prerequest', script: { type: 'text/javascript', exec: tokenScript.split('\n') } }],
    variable: Object.entries(variables).map(([key, value]) => ({ key, value, type: 'string' })),
    item: [
      ...descriptions.map(({ name, description, examples }) => ({ name, item: [...foldersOf(description, examples)] })),
      { name: 'Graph', item: [graph] },
    ],
  };
}
