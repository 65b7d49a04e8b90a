import type { IncomingMessage } from 'node:http';
import type { DashboardLogin } from '../../config/settings/authConfig.ts';
import { errorResponse, methodNotAllowed, notFound, sendError } from '../../server/messages/errors.ts';
import { isLocalRequest } from '../../server/messages/requestHeaders.ts';
import type { PublicHandler } from '../../server/router.ts';
import { type createBuiltFiles, createFile, createPrepared, sendFile } from './bundledFile.ts';
import { icon } from './icon.ts';

/**
 * Whether a browser requests a page: a GET that accepts HTML. Programs that use GraphQL or the node RPC at the same path accept
 * JSON or name no type.
 */
function isPageRequest({ method, headers }: IncomingMessage): boolean {
  return method === 'GET' && headers.accept?.includes('text/html') === true;
}

const base = '/dashboard';

/** The page loads nothing from other hosts, and sends nothing to them but the requests of a login. */
function dashboardPolicy(login: DashboardLogin | undefined): string {
  const issuer = login?.kind === 'openid' ? ` ${new URL(login.issuer).origin}` : '';
  return `default-src 'self'; connect-src 'self'${issuer}; frame-ancestors 'none'; base-uri 'none'; form-action 'none'`;
}

const dashboardNotBuilt = errorResponse(404, 'BAD_USER_INPUT', 'The dashboard is not built. Run `npm run build`.');

/**
 * Creates the handler of the dashboard: its files, its page at every other path below `/dashboard`, and the redirect from `/`
 * for browsers without a token. The files contain no data and no token. Without the files of a build,
 * the paths respond 404. `settings.json` says how the pages get a token, as JSON: `{}` if visitors enter one.
 */
export function createDashboardPage(built: ReturnType<typeof createBuiltFiles>, login?: DashboardLogin): PublicHandler {
  const policy = dashboardPolicy(login);
  const settingsFile = createPrepared(() => createFile('application/json', JSON.stringify({ login })));
  const iconFile = createPrepared(() => createFile('image/svg+xml', icon));

  return {
    surface: 'dashboard',
    isPage: true,
    isPublic: true,
    paths: [base, `${base}/*`, '/'],
    // Without a token, a browser that opens `/` gets the dashboard. All other requests to `/` belong to the node RPC.
    accepts: (request, path) => path !== '/' || (isPageRequest(request) && request.headers.authorization === undefined),
    async handle(request, response, path) {
      if (path === '/') {
        response.writeHead(302, { location: base, 'cache-control': 'no-cache', vary: 'Accept, Authorization, Origin' }).end();
        return;
      }
      const common = { 'cross-origin-resource-policy': 'same-origin', 'referrer-policy': 'no-referrer' };
      const stored = { ...common, 'cache-control': 'public, max-age=31536000, immutable' };
      if (path === `${base}/icon.svg`)
        return sendFile(request, response, await iconFile(undefined), { ...stored, 'cache-control': 'public, max-age=3600' });
      if (path === `${base}/settings.json`)
        return sendFile(request, response, await settingsFile(undefined), { ...common, 'cache-control': 'no-cache' });
      const files = await built();
      if (files === undefined) return sendError(response, dashboardNotBuilt);
      const name = path.slice(base.length + 1);
      const isAsset = name.startsWith('assets/');
      const file = files.get(isAsset ? name : 'index.html');
      if (file === undefined) return sendError(response, notFound);
      const headers = isAsset ? stored : { ...common, 'cache-control': 'no-cache', 'content-security-policy': policy };
      sendFile(request, response, file, headers);
    },
  };
}

/** The playground loads nothing from another host, whatever is in its bundle. Its editor writes styles. */
const playgroundPolicy =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

const playgroundNotBuilt = errorResponse(404, 'BAD_USER_INPUT', 'The playground is not built. Run `npm run build`.');

/**
 * Creates the handler of the playground, the page at `/graphql` for browsers. The page executes nothing and contains no token,
 * so it requires none. It is the same for all clients. Its scripts and styles are files of the dashboard, at the paths of that. Without the files of a
 * build, it responds 404.
 */
export function createPlaygroundPage(built: ReturnType<typeof createBuiltFiles>): PublicHandler {
  return {
    surface: 'playground',
    isPage: true,
    isPublic: true,
    paths: ['/graphql'],
    accepts: isPageRequest,
    async handle(request, response) {
      const file = (await built())?.get('playground.html');
      if (file === undefined) return sendError(response, playgroundNotBuilt);
      sendFile(request, response, file, {
        'content-security-policy': playgroundPolicy,
        'cache-control': 'no-cache',
        vary: 'Accept, Accept-Encoding, Authorization, Origin',
      });
    },
  };
}

/**
 * Creates the handler that returns a token of the client `devnet` to the playground, as JSON (`access_token`). It responds 204
 * if there is no such client, and to requests that are not local ({@link isLocalRequest}). No cache may store its responses.
 */
export function createPlaygroundToken(token: (() => Promise<string>) | undefined): PublicHandler {
  return {
    surface: 'playground',
    isPublic: true,
    paths: ['/playground/token'],
    async handle(request, response) {
      if (request.method !== 'GET') return sendError(response, methodNotAllowed);
      const headers = {
        'cache-control': 'no-store',
        'cross-origin-resource-policy': 'same-origin',
        'x-content-type-options': 'nosniff',
        vary: 'Origin',
      };
      const accessToken = isLocalRequest(request) ? await token?.() : undefined;
      if (accessToken === undefined) response.writeHead(204, headers).end();
      else
        response
          .writeHead(200, { ...headers, 'content-type': 'application/json' })
          .end(JSON.stringify({ access_token: accessToken }));
    },
  };
}
