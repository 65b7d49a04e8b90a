import type { JsonObject, JsonValue } from '../../chain/wire/json.ts';
import type { Example, Examples } from './document.ts';

/** Requests a token before each request unless the current one is valid for 30 s more. */
const tokenScript = `const isValid = Number(pm.collectionVariables.get('tokenEnds') || 0) > Date.now() + 30000;
if (!isValid) {
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
    if (error || response.code !== 200) throw new Error('Token request failed. Fill in clientId and clientSecret.');
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

/** The chain has groups if there is an example at this path. */
const policyPath = '/cosmos/group/v1/group_policy_info/{address}';

/** Variables that a request sets from its response: the name of the variable, and the path of the value in the response. */
const outputs: Readonly<Record<string, readonly [variable: string, place: string]>> = {
  tx_search: ['txHash', 'result.txs.0.hash'],
  block: ['blockHash', 'result.block_id.hash'],
};

/** Arguments that another request sets. Each run of a development chain has new hashes. */
const inputs: Readonly<Record<string, string>> = {
  tx: '0x{{txHash}}',
  block_by_hash: '0x{{blockHash}}',
  header_by_hash: '0x{{blockHash}}',
  '{hash}': '{{txHash}}',
};

const outputScript = (variable: string, place: string): string =>
  `const value = '${place}'.split('.').reduce((inner, name) => inner && inner[name], pm.response.json());
if (value) pm.collectionVariables.set('${variable}', value);`;

function script(listen: 'prerequest' | 'test', text: string): JsonObject {
  return { listen, script: { type: 'text/javascript', exec: text.split('\n') } };
}

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

/** Creates a request with the arguments of its example. */
function itemOf(path: string, method: string, operation: Operation, example: Example): JsonObject {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const hash = inputs[name];
  const parameters = hash === undefined ? example.parameters : { ...example.parameters, hash };
  const output = outputs[name];
  const { summary = path, description = '', requestBody } = operation;
  const where = new Map(operation.parameters?.map((each) => [each.name, each.in]));
  const filled = path.replace(/\{([^}]+)\}/g, (_, name: string) => encodePath(parameters[name] ?? ''));
  const pairsIn = (place: string): [string, string][] =>
    Object.entries(parameters).filter(([name]) => where.get(name) === place);
  const query = pairsIn('query').map(([key, value]) => ({ key, value: encodeValue(value) }));
  const search = query.map(({ key, value }) => `${key}=${value}`).join('&');
  const body = requestBody?.content['application/json'].example;
  return {
    name: summary,
    ...(output && { event: [script('test', outputScript(...output))] }),
    request: {
      method: method.toUpperCase(),
      description,
      header: [
        ...pairsIn('header').map(([key, value]) => ({ key, value })),
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

/** Groups the operations of a description that have an example by tag. */
function foldersOf(description: JsonObject, examples: Examples): readonly JsonObject[] {
  const folders = new Map<string, JsonObject[]>();
  // The description was created by `createDocument`.
  const paths = description.paths as Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  for (const [path, operations] of Object.entries(paths)) {
    const example = examples[path];
    // An example of a broadcast would send the recorded transaction again. The collection has its own request for broadcasts.
    if (example === undefined || path.includes('/broadcast_')) continue;
    for (const [method, operation] of Object.entries(operations)) {
      // A POST next to a GET is the broadcast of transactions.
      if (method === 'post' && operations.get !== undefined) continue;
      const tag = operation.tags?.[0] ?? '';
      const folder = folders.get(tag) ?? [];
      folders.set(tag, folder);
      const item = itemOf(path, method, operation, example);
      // Requests that set variables come first.
      if (item.event === undefined) folder.push(item);
      else folder.unshift(item);
    }
  }
  return [...folders].map(([name, item]) => ({ name, item }));
}

/** Initial values of the variables that requests set, and a transaction, from the examples. */
function valuesOf(descriptions: readonly { readonly examples: Examples }[]): Readonly<Record<string, string>> {
  const exampleValue = (path: string, name: string): string =>
    descriptions
      .map(({ examples }) => examples[path]?.parameters[name])
      .find((value) => value !== undefined)
      ?.slice(2) ?? '';
  return {
    txHash: exampleValue('/tx', 'hash'),
    blockHash: exampleValue('/block_by_hash', 'hash'),
    tx: Buffer.from(exampleValue('/broadcast_tx_sync', 'tx'), 'hex').toString('base64'),
  };
}

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

/**
 * Creates a collection of requests in the Postman format v2.1. The collection requests its token itself. `client` has values of its variables: an
 * empty one is for the user to fill in.
 */
export function createCollection(
  descriptions: readonly { readonly name: string; readonly description: JsonObject; readonly examples: Examples }[],
  client: Readonly<Record<'baseUrl' | 'tokenUrl' | 'clientId' | 'clientSecret' | 'audience', string>>,
): JsonObject {
  const variables: Readonly<Record<string, string>> = { ...client, ...valuesOf(descriptions), token: '', tokenEnds: '0' };
  const hasGroups = descriptions.some(({ examples }) => examples[policyPath] !== undefined);
  const graph = posted('GraphQL query', '/graphql', { query: hasGroups ? groupsQuery : headQuery });
  const broadcast = { jsonrpc: '2.0', id: 1, method: 'broadcast_tx_sync', params: { tx: '{{tx}}' } };
  const broadcastRequest = posted('Broadcast `tx`, wait for check', '/', broadcast);
  return {
    info: {
      name: 'Stele',
      description:
        'Requests to the node RPC, the REST API, the aggregates and GraphQL. Fill in `clientId` and `clientSecret`: each request obtains a token when it needs one. `tx` is a transaction in base64.',
      schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    },
    auth: { type: 'bearer', bearer: [{ key: 'token', value: '{{token}}', type: 'string' }] },
    event: [script('prerequest', tokenScript)],
    variable: Object.entries(variables).map(([key, value]) => ({ key, value, type: 'string' })),
    item: [
      ...descriptions.map(({ name, description, examples }) => ({ name, item: [...foldersOf(description, examples)] })),
      { name: 'GraphQL', item: [graph] },
      ...(variables.tx === '' ? [] : [{ name: 'Broadcast', item: [broadcastRequest] }]),
    ],
  };
}
