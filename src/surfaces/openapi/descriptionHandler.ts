import { readFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { createRequire } from 'node:module';
import application from '../../../data/openapi/application.json' with { type: 'json' };
import node from '../../../data/openapi/node.json' with { type: 'json' };
import type { Client } from '../../chain/client.ts';
import type { JsonObject } from '../../chain/wire/json.ts';
import { boundsOf, type Limits } from '../../config/limits/limits.ts';
import { failureResponse, notFound, sendError } from '../../server/messages/errors.ts';
import { isLocalRequest, publicOrigin } from '../../server/messages/requestHeaders.ts';
import type { PublicHandler } from '../../server/router.ts';
import type { Route } from '../aggregates/route.ts';
import { createRouteTable } from '../aggregates/routeTable.ts';
import type { Dispatch } from '../nodeRpc/dispatch.ts';
import { type BundledFile, createFile, createPrepared, createTemplate, sendFile } from '../pages/bundledFile.ts';
import type { RestRoute, RouteTables } from '../rest/routes.ts';
import { type ChainView, createChainView } from './chainView.ts';
import { createCollection } from './collection.ts';
import { createDocument, type Examples } from './document.ts';
import { nodeDescription } from './nodeRpcDescription.ts';
import { aggregateTag, describeAggregates, describeRest } from './restDescription.ts';

/** Responses recorded on the development chain, by path. `application` has those of REST and of the aggregates. */
const recordedExamples = { chainId: 'stele-devnet', node, application } as const;

/** Stands for the origin of the server in a description. The response has the origin that its client used. */
const addressPlace = '%stele-address%';

const about = `The application of the chain over REST:

- At the root paths, every query of the services that the chain describes, in the documented dialect: names in camelCase, integers as JSON integers.
- Under \`/rest\`, the same queries in the node's own dialect, that of grpc-gateway.
- Under \`/v1\`, aggregates: responses that clients can display as they are.

Each response is read at one height, which it states in the header \`x-cosmos-block-height\` (under \`/rest\`: \`Grpc-Metadata-X-Cosmos-Block-Height\`). To read at
another height, send the header \`x-cosmos-block-height\` with the request.

To generate a TypeScript client for \`openapi-fetch\`: \`npx openapi-typescript ${addressPlace}/openapi/application.json -o client.ts\`. Integers are
exact JSON integers. Values can exceed 2^53, so parse responses with a parser that keeps their precision.`;

/** Creates the description of REST in both dialects, for a chain with these routes, and of the aggregates. */
export function applicationDescription(
  {
    rest,
    aggregates,
    examples,
  }: { readonly rest: readonly RestRoute[]; readonly aggregates: readonly Route[]; readonly examples: Examples },
  tokenPath: string | undefined,
): JsonObject {
  const options = { examples, tokenPath };
  const ofRest = describeRest(rest, options);
  const ofAggregates = describeAggregates(aggregates, options);
  return createDocument({
    title: 'Stele: application',
    description: about,
    tags: [aggregateTag, ...ofRest.tags],
    paths: { ...ofAggregates.paths, ...ofRest.paths },
    schemas: { ...ofAggregates.schemas, ...ofRest.schemas },
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
  /** The REST routes of the chain. */
  readonly tables: Pick<RouteTables, 'table'>;
  /** Executes calls of the node RPC. */
  readonly dispatch: Dispatch;
  readonly limits: Limits;
  /** The embedded issuer. undefined if tokens come from another issuer. */
  readonly issuer: { readonly audience: string } | undefined;
  /** Whether the client `devnet` is enabled, whose id and secret are public. */
  readonly hasDevnetClient: boolean;
}): PublicHandler {
  const { client, tables, dispatch, limits, issuer, hasDevnetClient } = options;
  const routes = createRouteTable(boundsOf(limits), limits['request.freshness']);
  const aggregates = routes.filter(({ readsArchive }) => !readsArchive || client.archive() !== undefined);
  const views = createChainView({ client, tables, dispatch, limits, aggregates, recorded: recordedExamples });
  const tokens = issuer && tokenPath;

  /** Prepares the file of a description, with places for the origin of the server. */
  const prepare = async (document: JsonObject) => ({
    document,
    template: await createTemplate(json, JSON.stringify(document), addressPlace),
  });
  const node = createPrepared((examples: Examples) => prepare(nodeDescription(examples, tokens)));
  const application = createPrepared((view: ChainView) =>
    prepare(applicationDescription({ ...view, examples: view.examples.application }, tokens)),
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

/**
 * Starts Swagger UI. The token is in the page, not in this script: any site can include a script, and would obtain the token.
 */
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
