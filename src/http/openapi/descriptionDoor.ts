import type { IncomingMessage } from 'node:http';
import type { JsonObject } from '../../chain/json.ts';
import { boundsOf } from '../../graphql/context.ts';
import type { Limits } from '../../graphql/limits.ts';
import { createRouteTable } from '../aggregates/routeTable.ts';
import { type BundledFile, createFile, createTemplate, sendFile } from '../bundledFile.ts';
import type { PublicDoor } from '../door.ts';
import { sendError } from '../errors.ts';
import { failureAnswer } from '../failureAnswer.ts';
import { headerOf } from '../headers.ts';
import { createPrepared } from '../prepared.ts';
import type { RouteTable } from '../rest/routeTable.ts';
import type { RouteTables } from '../rest/routeTables.ts';
import { applicationDescription, createCollection, examples, nodeDescription } from './descriptions.ts';

/** What the descriptions are made of. */
export interface DescriptionDoorOptions {
  /** The routes of the chain. */
  readonly tables: Pick<RouteTables, 'table'>;
  readonly limits: Limits;
  /** The embedded issuer, if it is not another's tokens that are taken. */
  readonly issuer: { readonly audience: string } | undefined;
  /** Whether the client `devnet` is there, whose id and secret everybody knows. */
  readonly hasDevnetClient: boolean;
}

/** A description, and the file of it. */
interface Made {
  readonly document: JsonObject;
  readonly file: BundledFile;
}

const paths = ['/openapi/node.json', '/openapi/application.json', '/collection.json'];
const json = 'application/json; charset=utf-8';
const tokenPath = '/oauth/token';

/** The address that a request was sent to, or that of a developer's machine if its host is none. */
function addressOf(request: IncomingMessage): string {
  const host = headerOf(request, 'host') ?? '';
  const scheme = headerOf(request, 'x-forwarded-proto') === 'https' ? 'https' : 'http';
  return /^[\w.-]+(:\d{1,5})?$|^\[[0-9a-fA-F:]+\](:\d{1,5})?$/.test(host) ? `${scheme}://${host}` : 'http://localhost:4000';
}

/** Stands in the prepared collection for the address of the server. */
const addressPlace = '%stele-address%';

/**
 * Makes the handler of `/openapi/node.json`, `/openapi/application.json` and `/collection.json`. Each is prepared when it is first requested, and
 * again when the chain describes itself differently.
 */
export function createDescriptionDoor({ tables, limits, issuer, hasDevnetClient }: DescriptionDoorOptions): PublicDoor {
  const tokens = issuer && tokenPath;

  async function makeFile(document: JsonObject): Promise<Made> {
    return { document, file: await createFile(json, JSON.stringify(document)) };
  }

  const node = createPrepared(async () => makeFile(nodeDescription(tokens)));
  const application = createPrepared(async (table: RouteTable) =>
    makeFile(applicationDescription({ rest: table.routes, aggregates: createRouteTable(boundsOf(limits)) }, tokens)),
  );
  const collection = createPrepared(async (table: RouteTable) => {
    const [ofNode, ofApplication] = await Promise.all([node(undefined), application(table)]);
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
    if (path === '/openapi/node.json') return (await node(undefined)).file;
    const table = await tables.table();
    if (path === '/openapi/application.json') return (await application(table)).file;
    return (await collection(table)).fill(addressOf(request));
  }

  return {
    surface: 'docs',
    answers: (path) => paths.includes(path),
    async handle(request, response, path) {
      let file: BundledFile;
      try {
        file = await fileAt(path, request);
      } catch (error) {
        const told = failureAnswer(error);
        if (told === undefined) throw error;
        return sendError(response, told);
      }
      sendFile(request, response, file, {
        'cache-control': 'no-cache',
        ...(path === '/collection.json' && { 'content-disposition': 'attachment; filename="stele.postman_collection.json"' }),
      });
    },
  };
}
