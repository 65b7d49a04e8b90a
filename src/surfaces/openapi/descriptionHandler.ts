import type { IncomingMessage } from 'node:http';
import { archiveOf } from '../../archive/setup/attached.ts';
import type { Client } from '../../chain/client.ts';
import type { JsonObject } from '../../chain/wire/json.ts';
import { boundsOf, type Limits } from '../../config/limits/limits.ts';
import { publicOrigin } from '../../server/messages/clientAddress.ts';
import { failureResponse, sendError } from '../../server/messages/errors.ts';
import type { PublicHandler } from '../../server/router.ts';
import { createRouteTable } from '../aggregates/routeTable.ts';
import type { Dispatch } from '../nodeRpc/dispatch.ts';
import { type BundledFile, createTemplate, type FileTemplate, sendFile } from '../pages/bundledFile.ts';
import { createPrepared } from '../pages/prepared.ts';
import type { RouteTables } from '../rest/routes/routeTables.ts';
import { type ChainView, createChainView } from './chainView.ts';
import { addressPlace, applicationDescription, createCollection, nodeDescription, recordedExamples } from './descriptions.ts';
import type { Examples } from './parts/document.ts';

/** Options of {@link createDescriptionHandler}. */
export interface DescriptionHandlerOptions {
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
}

/** A description, and the file that is served, with places for the origin of the server. */
interface Prepared {
  readonly document: JsonObject;
  readonly template: FileTemplate;
}

const paths = ['/openapi/node.json', '/openapi/application.json', '/collection.json'];
const json = 'application/json; charset=utf-8';
const tokenPath = '/oauth/token';

/**
 * Creates the handler of `/openapi/node.json`, `/openapi/application.json` and `/collection.json`. Each file is prepared at its
 * first request, and again when the descriptors of the chain or the examples change.
 */
export function createDescriptionHandler(options: DescriptionHandlerOptions): PublicHandler {
  const { client, tables, dispatch, limits, issuer, hasDevnetClient } = options;
  const routes = createRouteTable(boundsOf(limits), limits['request.freshness']);
  const aggregates = routes.filter(({ readsArchive }) => !readsArchive || archiveOf(client) !== undefined);
  const views = createChainView({ client, tables, dispatch, limits, aggregates, recorded: recordedExamples });
  const tokens = issuer && tokenPath;

  async function makeFile(document: JsonObject): Promise<Prepared> {
    return { document, template: await createTemplate(json, JSON.stringify(document), addressPlace) };
  }

  const node = createPrepared(async (examples: Examples) => makeFile(nodeDescription(examples, tokens)));
  const application = createPrepared(async ({ rest, aggregates, examples }: ChainView) =>
    makeFile(applicationDescription({ rest, aggregates, examples: examples.application }, tokens)),
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
    matches: (path) => paths.includes(path),
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
