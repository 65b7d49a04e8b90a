import type { IncomingMessage } from 'node:http';
import type { DashboardLogin } from '../../config/settings/authConfig.ts';
import { errorResponse, notFound, sendError } from '../../server/messages/errors.ts';
import type { PublicHandler } from '../../server/router.ts';
import { isPageRequest } from './browser.ts';
import type { createBuiltFiles } from './builtFiles.ts';
import { createFile, sendFile } from './bundledFile.ts';
import { icon } from './icon.ts';
import { createPrepared } from './prepared.ts';

const base = '/dashboard';

/** The page loads nothing from other hosts, and sends nothing to them but the requests of a login. */
function pagePolicy(login: DashboardLogin | undefined): string {
  const issuer = login?.kind === 'openid' ? ` ${new URL(login.issuer).origin}` : '';
  return `default-src 'self'; connect-src 'self'${issuer}; frame-ancestors 'none'; base-uri 'none'; form-action 'none'`;
}

const notBuilt = errorResponse(404, 'BAD_USER_INPUT', 'The dashboard is not built. Run `npm run build`.');

/** Whether a browser without a token opens `/`. All other requests to `/` belong to the node RPC. */
function opensRoot(path: string, request: IncomingMessage): boolean {
  return path === '/' && isPageRequest(request) && request.headers.authorization === undefined;
}

/**
 * Creates the handler of the dashboard: its files, its page at every other path below `/dashboard`, and the redirect from `/`
 * for browsers without a token. The files contain no data and no token. Without the files of a build,
 * the paths respond 404. `settings.json` says how the pages get a token, as JSON: `{}` if visitors enter one.
 */
export function createDashboardPage(built: ReturnType<typeof createBuiltFiles>, login?: DashboardLogin): PublicHandler {
  const policy = pagePolicy(login);
  const settingsFile = createPrepared(() => createFile('application/json', JSON.stringify({ login })));
  const iconFile = createPrepared(() => createFile('image/svg+xml', icon));

  return {
    surface: 'dashboard',
    isPage: true,
    matches: (path, request) => path === base || path.startsWith(`${base}/`) || opensRoot(path, request),
    async handle(request, response, path) {
      if (path === '/') {
        const headers = { location: base, 'cache-control': 'no-cache', vary: 'Accept, Authorization, Origin' };
        response.writeHead(302, headers).end();
        return;
      }
      const common = { 'cross-origin-resource-policy': 'same-origin', 'referrer-policy': 'no-referrer' };
      const stored = { ...common, 'cache-control': 'public, max-age=31536000, immutable' };
      if (path === `${base}/icon.svg`) {
        sendFile(request, response, await iconFile(undefined), { ...stored, 'cache-control': 'public, max-age=3600' });
        return;
      }
      if (path === `${base}/settings.json`) {
        sendFile(request, response, await settingsFile(undefined), { ...common, 'cache-control': 'no-cache' });
        return;
      }
      const files = await built();
      if (files === undefined) return sendError(response, notBuilt);
      const name = path.slice(base.length + 1);
      const isAsset = name.startsWith('assets/');
      const file = files.get(isAsset ? name : 'index.html');
      if (file === undefined) return sendError(response, notFound);
      sendFile(
        request,
        response,
        file,
        isAsset ? stored : { ...common, 'cache-control': 'no-cache', 'content-security-policy': policy },
      );
    },
  };
}
