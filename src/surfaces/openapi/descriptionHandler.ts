import { readFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { createRequire } from 'node:module';
import type { Client } from '../../chain/client.ts';
import type { JsonObject, JsonValue } from '../../chain/wire/json.ts';
import { boundsOf, type Limits, proofBoundsOf } from '../../config/limits/limits.ts';
import { failureResponse, notFound, sendError } from '../../server/messages/errors.ts';
import { isLocalRequest, publicOrigin } from '../../server/messages/requestHeaders.ts';
import type { PublicHandler } from '../../server/router.ts';
import { createRouteTable } from '../aggregates/routeTable.ts';
import type { Dispatch } from '../nodeRpc/dispatch.ts';
import { type BundledFile, createFile, createPrepared, createTemplate, sendFile } from '../pages/pages.ts';
import type { RouteTables } from '../rest/routes.ts';
import { type ChainView, createChainView } from './chainView.ts';
import { createDocument, type Example, type Examples } from './document.ts';
import { nodeDescription } from './nodeRpcDescription.ts';
import { aggregateTag, describeAggregates, describeRest, describeWebhooks, webhookTag } from './restDescription.ts';

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

function itemOf(path: string, method: string, operation: Operation, example: Example): JsonObject {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const hash = inputs[name];
  const parameters = hash === undefined ? example.parameters : { ...example.parameters, hash };
  const output = outputs[name];
  const { summary = path, description = '', requestBody } = operation;
  const where = new Map(operation.parameters?.map((each) => [each.name, each.in]));
  const filled = path.replace(/\{([^}]+)\}/g, (_, name: string) =>
    (parameters[name] ?? '').split('/').map(encodeValue).join('/'),
  );
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
function createCollection(
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

import application from '../../../data/openapi/application.json' with { type: 'json' };
import node from '../../../data/openapi/node.json' with { type: 'json' };

/** Responses recorded on the development chain, by path. `application` has those of REST and of the aggregates. */
const recordedExamples = { chainId: 'stele-devnet', node, application } as const;

/** Stands for the origin of the server in a description. The response has the origin that its client used. */
const addressPlace = '%stele-address%';

const about = `The application of the chain over REST:

- At the root paths, every query of the services that the chain describes, in the documented dialect: names in camelCase, integers as JSON integers.
- Under \`/rest\`, the same queries in the node's own dialect, that of grpc-gateway.
- Under \`/v1\`, aggregates: responses that clients can display as they are, and on servers with an archive the webhooks of the caller.

Each response is read at one height, which it states in the header \`x-cosmos-block-height\` (under \`/rest\`: \`Grpc-Metadata-X-Cosmos-Block-Height\`). To read at
another height, send the header \`x-cosmos-block-height\` with the request, or \`x-block-time\` to read at the last block that is not after a time.

To generate a TypeScript client for \`openapi-fetch\`: \`npx openapi-typescript ${addressPlace}/openapi/application.json -o client.ts\`. Integers are
exact JSON integers. Values can exceed 2^53, so parse responses with a parser that keeps their precision.`;

/** Creates the description of REST in both dialects, for a chain with these routes, and of the aggregates. */
export function applicationDescription(
  { rest, aggregates, examples }: Pick<ChainView, 'rest' | 'aggregates'> & { readonly examples: Examples },
  tokenPath: string | undefined,
  hasWebhooks = false,
): JsonObject {
  const options = { examples, tokenPath };
  const ofRest = describeRest(rest, options);
  const ofAggregates = describeAggregates(aggregates, options);
  const ofWebhooks = hasWebhooks ? describeWebhooks(tokenPath) : { paths: {}, schemas: {} };
  return createDocument({
    title: 'Stele: application',
    description: about,
    tags: [aggregateTag, ...(hasWebhooks ? [webhookTag] : []), ...ofRest.tags],
    paths: { ...ofAggregates.paths, ...ofWebhooks.paths, ...ofRest.paths },
    schemas: { ...ofAggregates.schemas, ...ofWebhooks.schemas, ...ofRest.schemas },
    tokenPath,
  });
}

const paths = ['/openapi/node.json', '/openapi/application.json', '/collection.json'];
const json = 'application/json; charset=utf-8';
const tokenPath = '/oauth/token';

/**
 * Creates the handler of `/openapi/node.json`, `/openapi/application.json` and `/collection.json`. Each file is prepared at its
 * first request, and again when the descriptors of the chain or the examples change.
 */
export function createDescriptionHandler(options: {
  readonly client: Client;
  readonly tables: Pick<RouteTables, 'table'>;
  readonly dispatch: Dispatch;
  readonly limits: Limits;
  /** The embedded issuer. undefined if tokens come from another issuer. */
  readonly issuer: { readonly audience: string } | undefined;
  /** Whether the client `devnet` is enabled, whose id and secret are public. */
  readonly hasDevnetClient: boolean;
  /** Whether the server has `/v1/webhooks`. */
  readonly hasWebhooks: boolean;
}): PublicHandler {
  const { client, tables, dispatch, limits, issuer, hasDevnetClient, hasWebhooks } = options;
  const routes = createRouteTable(boundsOf(limits), limits['request.freshness'], proofBoundsOf(limits));
  const aggregates = routes.filter(({ readsArchive }) => !readsArchive || client.archive() !== undefined);
  const views = createChainView({ client, tables, dispatch, limits, aggregates, recorded: recordedExamples });
  const tokens = issuer && tokenPath;

  const prepare = async (document: JsonObject) => ({
    document,
    template: await createTemplate(json, JSON.stringify(document), addressPlace),
  });
  const node = createPrepared((examples: Examples) => prepare(nodeDescription(examples, tokens)));
  const application = createPrepared((view: ChainView) =>
    prepare(applicationDescription({ ...view, examples: view.examples.application }, tokens, hasWebhooks)),
  );
  const collection = createPrepared(async (view: ChainView) => {
    const { examples } = view;
    const [ofNode, ofApplication] = await Promise.all([node(examples.node), application(view)]);
    const client = {
      baseUrl: addressPlace,
      tokenUrl: `{{baseUrl}}${tokenPath}`,
      clientId: hasDevnetClient ? 'devnet' : '',
      clientSecret: hasDevnetClient ? 'devnet' : '',
      audience: issuer?.audience ?? '',
    };
    const parts = [
      { name: 'Node RPC', description: ofNode.document, examples: examples.node },
      { name: 'Application', description: ofApplication.document, examples: examples.application },
    ];
    return createTemplate(json, JSON.stringify(createCollection(parts, client), null, 1), addressPlace);
  });

  async function fileAt(path: string, request: IncomingMessage): Promise<BundledFile> {
    const origin = publicOrigin(request);
    if (path === '/openapi/node.json') return (await node(await views.nodeExamples())).template.fill(origin);
    const view = await views.current();
    if (path === '/openapi/application.json') return (await application(view)).template.fill(origin);
    return (await collection(view)).fill(origin);
  }

  return {
    surface: 'docs',
    isPublic: true,
    isOpen: true,
    paths,
    async handle(request, response, path) {
      let file: BundledFile;
      try {
        file = await fileAt(path, request);
      } catch (error) {
        const failure = failureResponse(error);
        if (failure === undefined) throw error;
        return sendError(response, failure);
      }
      sendFile(request, response, file, {
        'cache-control': 'no-cache',
        ...(path === '/collection.json' && { 'content-disposition': 'attachment; filename="stele.postman_collection.json"' }),
      });
    },
  };
}

/** Content Security Policy: the page loads nothing from other hosts. Swagger UI sets inline styles. */
const pagePolicy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const libraryFiles: Readonly<Record<string, string>> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'swagger-ui-standalone-preset.js': 'text/javascript; charset=utf-8',
  'favicon-32x32.png': 'image/png',
};

/** Starts Swagger UI. The token is in the page, not in this script: any site can include a script, and would obtain the token. */
const startScript = `
const token = document.querySelector('meta[name=token]').content;
const ui = SwaggerUIBundle({
  urls: [
    { url: '/openapi/application.json', name: 'Application and aggregates' },
    { url: '/openapi/node.json', name: 'Node RPC' },
  ],
  dom_id: '#docs',
  deepLinking: true,
  docExpansion: 'none',
  filter: true,
  validatorUrl: null,
  presets: [SwaggerUIBundle.presets.apis, SwaggerUIStandalonePreset],
  layout: 'StandaloneLayout',
  onComplete: () => {
    if (token !== '') ui.preauthorizeApiKey('bearer', token);
  },
});
`;

const page = (token: string): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="token" content="${token}">
<title>Stele</title>
<link rel="icon" href="/docs/favicon-32x32.png">
<link rel="stylesheet" href="/docs/swagger-ui.css">
<style>body { margin: 0 }</style>
<div id="docs"></div>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/swagger-ui-standalone-preset.js"></script>
<script src="/docs/start.js"></script>
</html>
`;

const tokenPlace = '%stele-token%';

/**
 * Creates the handler of the interactive documentation at `/docs` and of its files. Each file is prepared at its first request.
 * If `token` is given, pages for local requests contain a token; on other pages the user enters one.
 */
export function createDocsPage(token: (() => Promise<string>) | undefined): PublicHandler {
  const { resolve } = createRequire(import.meta.url);
  const template = createPrepared(() => createTemplate('text/html; charset=utf-8', page(tokenPlace), tokenPlace));
  const files = new Map([
    ['start.js', createPrepared(() => createFile('text/javascript; charset=utf-8', startScript))],
    ...Object.entries(libraryFiles).map(
      ([name, type]) =>
        [name, createPrepared(async () => createFile(type, await readFile(resolve(`swagger-ui-dist/${name}`))))] as const,
    ),
  ]);

  async function fileAt(path: string, request: IncomingMessage): Promise<BundledFile | undefined> {
    if (path === '/docs' || path === '/docs/') {
      const accessToken = isLocalRequest(request) ? await token?.() : undefined;
      return (await template(undefined)).fill(accessToken ?? '');
    }
    return files.get(path.slice('/docs/'.length))?.(undefined);
  }

  return {
    surface: 'docs',
    isPage: true,
    isPublic: true,
    paths: ['/docs', '/docs/*'],
    async handle(request, response, path) {
      const file = await fileAt(path, request);
      if (file === undefined) return sendError(response, notFound);
      const isPage = file.type.startsWith('text/html');
      sendFile(request, response, file, {
        'cache-control': isPage ? 'no-store' : 'public, max-age=3600',
        'content-security-policy': pagePolicy,
        // Other sites must not embed these files.
        'cross-origin-resource-policy': 'same-origin',
      });
    },
  };
}
