import type { IncomingMessage } from 'node:http';
import type { JsonObject } from '../../chain/json.ts';
import { boundsOf } from '../../graphql/context.ts';
import type { Limits } from '../../graphql/limits.ts';
import { createRouteTable } from '../aggregates/routeTable.ts';
import { type BundledFile, createFile, sendFile } from '../bundledFile.ts';
import type { PublicDoor } from '../door.ts';
import { sendError } from '../errors.ts';
import { failureAnswer } from '../failureAnswer.ts';
import { headerOf } from '../headers.ts';
import type { RouteTable } from '../rest/routeTable.ts';
import type { RouteTables } from '../rest/routeTables.ts';

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

interface Made {
  readonly table: RouteTable;
  readonly document: JsonObject;
  readonly file: Promise<BundledFile>;
}

const paths = ['/openapi/node.json', '/openapi/application.json', '/collection.json'];
const json = 'application/json; charset=utf-8';
const tokenPath = '/oauth/token';

/** The address that a request was sent to: where its host is one, else that of a developer's machine. */
function addressOf(request: IncomingMessage): string {
  const host = headerOf(request, 'host') ?? '';
  const scheme = headerOf(request, 'x-forwarded-proto') === 'https' ? 'https' : 'http';
  return /^[\w.-]+(:\d{1,5})?$|^\[[0-9a-fA-F:]+\](:\d{1,5})?$/.test(host) ? `${scheme}://${host}` : 'http://localhost:4000';
}

/**
 * Makes the door at `/openapi/node.json`, `/openapi/application.json` and `/collection.json`. That of the application is made of what the chain says
 * of itself, and again when that has changed.
 */
export function createDescriptionDoor({ tables, limits, issuer, hasDevnetClient }: DescriptionDoorOptions): PublicDoor {
  // A megabyte with its examples: loaded when the first one asks.
  const load = () => import('./descriptions.ts');
  const tokens = issuer && tokenPath;
  let node: Promise<{ readonly document: JsonObject; readonly file: BundledFile }> | undefined;
  let made: Made | undefined;

  async function nodeMade(): Promise<{ readonly document: JsonObject; readonly file: BundledFile }> {
    const { nodeDescription } = await load();
    const document = nodeDescription(tokens);
    return { document, file: await createFile(json, JSON.stringify(document)) };
  }

  async function applicationMade(): Promise<Made> {
    const [{ applicationDescription }, current] = await Promise.all([load(), tables.table()]);
    if (made?.table !== current) {
      const document = applicationDescription({ rest: current.routes, aggregates: createRouteTable(boundsOf(limits)) }, tokens);
      made = { table: current, document, file: createFile(json, JSON.stringify(document)) };
    }
    return made;
  }

  async function collection(request: IncomingMessage): Promise<BundledFile> {
    node ??= nodeMade();
    const [{ createCollection, examples }, ofNode, ofApplication] = await Promise.all([load(), node, applicationMade()]);
    const baseUrl = addressOf(request);
    const client = {
      baseUrl,
      tokenUrl: `{{baseUrl}}${tokenPath}`,
      clientId: hasDevnetClient ? 'devnet' : '',
      clientSecret: hasDevnetClient ? 'devnet' : '',
      audience: issuer?.audience ?? '',
    };
    const parts = [
      { name: 'Node RPC', description: ofNode.document, examples: examples.node },
      { name: 'Application', description: ofApplication.document, examples: examples.application },
    ];
    return createFile(json, JSON.stringify(createCollection(parts, client), null, 1));
  }

  async function fileAt(path: string, request: IncomingMessage): Promise<BundledFile> {
    if (path === '/collection.json') return collection(request);
    if (path === '/openapi/application.json') return (await applicationMade()).file;
    node ??= nodeMade();
    return (await node).file;
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
