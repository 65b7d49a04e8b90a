import type { JsonObject, JsonValue } from '../../chain/wire/json.ts';
import type { Example, Examples } from './parts/document.ts';

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

const headQuery = '{ head { height time } }';

const groupsQuery = `{
  head { height time }
  groups(first: 3) { nodes { id metadata totalWeight policies { nodes { address } } } }
}`;

/** The path whose example shows that the chain has groups. */
const policyPath = '/cosmos/group/v1/group_policy_info/{address}';

/** What a request leaves behind for others: the name of a variable, and where its value is in the answer. */
const found: Readonly<Record<string, readonly [variable: string, place: string]>> = {
  tx_search: ['txHash', 'result.txs.0.hash'],
  block: ['blockHash', 'result.block_id.hash'],
};

/** Arguments that are found by another request: a hash is of one run of the chain. */
const sought: Readonly<Record<string, string>> = {
  tx: '0x{{txHash}}',
  block_by_hash: '0x{{blockHash}}',
  header_by_hash: '0x{{blockHash}}',
  '{hash}': '{{txHash}}',
};

const findScript = (variable: string, place: string): string =>
  `const value = '${place}'.split('.').reduce((inner, name) => inner && inner[name], pm.response.json());
if (value) pm.collectionVariables.set('${variable}', value);`;

function script(listen: 'prerequest' | 'test', text: string): JsonObject {
  return { listen, script: { type: 'text/javascript', exec: text.split('\n') } };
}

/** A value in a URL; the braces of variables stay. */
function encodeValue(value: string): string {
  return encodeURIComponent(value).replaceAll('%7B%7B', '{{').replaceAll('%7D%7D', '}}');
}

interface Operation {
  readonly tags?: readonly string[];
  readonly summary?: string;
  readonly description?: string;
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
  readonly requestBody?: { readonly content: { readonly 'application/json': { readonly example?: JsonValue } } };
}

function encodePath(value: string): string {
  return value.split('/').map(encodeValue).join('/');
}

/** A request with the arguments of its example. */
function itemOf(path: string, method: string, operation: Operation, example: Example): JsonObject {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const hash = sought[name];
  const parameters = hash === undefined ? example.parameters : { ...example.parameters, hash };
  const find = found[name];
  const { summary = path, description = '', requestBody } = operation;
  const where = new Map(operation.parameters?.map((each) => [each.name, each.in]));
  const filled = path.replace(/\{([^}]+)\}/g, (_, name: string) => encodePath(parameters[name] ?? ''));
  const named = (place: string): [string, string][] => Object.entries(parameters).filter(([name]) => where.get(name) === place);
  const query = named('query').map(([key, value]) => ({ key, value: encodeValue(value) }));
  const search = query.map(({ key, value }) => `${key}=${value}`).join('&');
  const body = requestBody?.content['application/json'].example;
  return {
    name: summary,
    ...(find && { event: [script('test', findScript(...find))] }),
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

/** The requests of a description that have an example, by its tags: the chain answers those. */
function foldersOf(description: JsonObject, examples: Examples): readonly JsonObject[] {
  const folders = new Map<string, JsonObject[]>();
  // What our own description is made of.
  const paths = description.paths as Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  for (const [path, operations] of Object.entries(paths)) {
    const example = examples[path];
    // What sends would send the same transaction again: there is a request of its own for it.
    if (example === undefined || path.includes('/broadcast_')) continue;
    for (const [method, operation] of Object.entries(operations)) {
      // Beside a read it is what sends.
      if (method === 'post' && operations.get !== undefined) continue;
      const tag = operation.tags?.[0] ?? '';
      const folder = folders.get(tag) ?? [];
      folders.set(tag, folder);
      const item = itemOf(path, method, operation, example);
      // What others look for is asked first.
      if (item.event === undefined) folder.push(item);
      else folder.unshift(item);
    }
  }
  return [...folders].map(([name, item]) => ({ name, item }));
}

/** Values of the variables that requests leave behind, and a transaction: those of the examples, until there are others. */
function valuesOf(descriptions: readonly { readonly examples: Examples }[]): Readonly<Record<string, string>> {
  const given = (path: string, name: string): string =>
    descriptions
      .map(({ examples }) => examples[path]?.parameters[name])
      .find((value) => value !== undefined)
      ?.slice(2) ?? '';
  return {
    txHash: given('/tx', 'hash'),
    blockHash: given('/block_by_hash', 'hash'),
    tx: Buffer.from(given('/broadcast_tx_sync', 'tx'), 'hex').toString('base64'),
  };
}

/** A request with a body. */
function posted(name: string, path: string, body: JsonObject): JsonObject {
  return {
    name,
    request: {
      method: 'POST',
      header: [{ key: 'content-type', value: 'application/json' }],
      url: { raw: `{{baseUrl}}${path}`, host: ['{{baseUrl}}'], path: [path.slice(1)] },
      body: { mode: 'raw', raw: JSON.stringify(body) },
    },
  };
}

/** A collection of requests in the format Postman v2.1, which gets its token by itself. */
export function createCollection(
  descriptions: readonly { readonly name: string; readonly description: JsonObject; readonly examples: Examples }[],
  client: CollectionClient,
): JsonObject {
  const variables: Readonly<Record<string, string>> = { ...client, ...valuesOf(descriptions), token: '', tokenEnds: '0' };
  const hasGroups = descriptions.some(({ examples }) => examples[policyPath] !== undefined);
  const graph = posted('A query of the graph', '/graphql', { query: hasGroups ? groupsQuery : headQuery });
  const broadcast = { jsonrpc: '2.0', id: 1, method: 'broadcast_tx_sync', params: { tx: '{{tx}}' } };
  const sending = posted('Broadcast `tx`, wait for check', '/', broadcast);
  return {
    info: {
      name: 'Stele',
      description:
        'The node RPC, the application over REST, the aggregates and the graph. Fill in `clientId` and `clientSecret`; the token is had by itself. `tx` is a transaction in base64.',
      schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    },
    auth: { type: 'bearer', bearer: [{ key: 'token', value: '{{token}}', type: 'string' }] },
    event: [script('prerequest', tokenScript)],
    variable: Object.entries(variables).map(([key, value]) => ({ key, value, type: 'string' })),
    item: [
      ...descriptions.map(({ name, description, examples }) => ({ name, item: [...foldersOf(description, examples)] })),
      { name: 'Graph', item: [graph] },
      ...(variables.tx === '' ? [] : [{ name: 'Sending', item: [sending] }]),
    ],
  };
}
