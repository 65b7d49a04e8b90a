import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { extname, join } from 'node:path';
import { z } from 'zod';
import type { DashboardLook } from '../../config/settings/look.ts';
import type { DashboardLogin } from '../../config/settings/settings.ts';
import { errorResponse, methodNotAllowed, notFound, sendError } from '../../server/messages/errors.ts';
import { isLocalRequest } from '../../server/messages/requestHeaders.ts';
import { joinPacked, packPartLater } from '../../server/messages/sendAnswer.ts';
import type { PublicHandler } from '../../server/router.ts';
import { escapedText } from './escapedText.ts';
import { icon } from './icon.ts';

/** A file in memory, plain and compressed. Its buffers are shared by all responses. */
export interface BundledFile {
  readonly type: string;
  readonly plain: readonly Buffer[];
  /** The file compressed with gzip. Absent for types that are compressed themselves. */
  readonly gzipped?: readonly Buffer[];
  /** The file compressed with brotli. Absent for files that are made at run time. */
  readonly brotli?: readonly Buffer[];
  /** Differs whenever the bytes do. */
  readonly hash: string;
}

/** Creates a template of content in which a text replaces each `place`. The content between the places is compressed here, once. */
export async function createTemplate(type: string, content: string | Buffer, place?: string) {
  const parts =
    place === undefined
      ? [Buffer.from(content)]
      : content
          .toString()
          .split(place)
          .map((part) => Buffer.from(part));
  const last = parts.length - 1;
  const packed = await Promise.all(parts.map((part, index) => packPartLater(part, { level: 6, isLast: index === last })));
  const sums = createHash('sha256');
  for (const part of parts) sums.update(`${part.length}:`).update(part);
  const partsHash = sums.digest();
  return {
    /** The file with a text at each place. It compresses nothing. */
    fill(text: string): BundledFile {
      const middle = Buffer.from(text);
      return {
        type,
        plain: parts.flatMap((part, index) => (index === 0 ? [part] : [middle, part])),
        gzipped: joinPacked(packed, Array<Buffer>(last).fill(middle)),
        hash: createHash('sha256').update(partsHash).update(middle).digest('base64url').slice(0, 22),
      };
    },
  };
}

/** Creates a file from its content, which is compressed here, once. */
export async function createFile(type: string, content: string | Buffer): Promise<BundledFile> {
  return (await createTemplate(type, content)).fill('');
}

/** Whether an `If-None-Match` header names an entity tag (RFC 9110, 13.1.2). */
function isCurrent(condition: string, tag: string): boolean {
  return condition.split(',').some((each) => each.trim() === '*' || each.trim().replace(/^W\//, '') === tag);
}

/** The form of a file that a client accepts, the smallest first, with its content coding. */
function codingFor(
  { headers }: IncomingMessage,
  { plain, gzipped, brotli }: BundledFile,
): { readonly coding?: string; readonly body: readonly Buffer[] } {
  const accepted = String(headers['accept-encoding'] ?? '');
  const takes = (coding: string): boolean => new RegExp(`\\b${coding}\\b(?!\\s*;\\s*q=0(\\.0*)?\\b)`).test(accepted);
  if (brotli !== undefined && takes('br')) return { coding: 'br', body: brotli };
  return gzipped !== undefined && takes('gzip') ? { coding: 'gzip', body: gzipped } : { body: plain };
}

/**
 * Sends a file as the response to GET or HEAD, and 405 to other methods. The response has a strong entity tag, unless the
 * headers contain `no-store`. A client with the current tag gets 304.
 */
export function sendFile(
  request: IncomingMessage,
  response: ServerResponse,
  file: BundledFile,
  headers: Readonly<Record<string, string>> & { readonly 'cache-control': string },
): void {
  const { method } = request;
  if (method !== 'GET' && method !== 'HEAD') {
    sendError(response, methodNotAllowed);
    return;
  }
  const { coding, body } = codingFor(request, file);
  const isStored = headers['cache-control'] !== 'no-store';
  const tag = `"${file.hash}${coding === undefined ? '' : `-${coding}`}"`;
  const common = {
    ...(isStored && { etag: tag }),
    vary: 'Accept-Encoding, Origin',
    'x-content-type-options': 'nosniff',
    ...headers,
  };
  const condition = request.headers['if-none-match'];
  if (isStored && condition !== undefined && isCurrent(condition, tag)) {
    response.writeHead(304, common).end();
    return;
  }
  response.writeHead(200, {
    'content-type': file.type,
    'content-length': body.reduce((sum, { length }) => sum + length, 0),
    ...(coding !== undefined && { 'content-encoding': coding }),
    ...common,
  });
  if (method === 'GET') for (const part of body) if (part.length > 0) response.write(part);
  response.end();
}

/**
 * Creates a value once for each key, and caches that of the last key. Concurrent callers share one attempt. A failed attempt is
 * not cached: the next call tries again.
 */
export function createPrepared<K, T>(make: (key: K) => Promise<T>): (key: K) => Promise<T> {
  let last: { readonly key: K; readonly value: Promise<T> } | undefined;
  return (key) => {
    if (last !== undefined && last.key === key) return last.value;
    const attempt = { key, value: make(key) };
    last = attempt;
    attempt.value.catch(() => {
      if (last === attempt) last = undefined;
    });
    return attempt.value;
  };
}

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
};

async function readBuilt(directory: string, name: string): Promise<BundledFile> {
  const [plain, gzipped, brotli] = await Promise.all(
    ['', '.gz', '.br'].map((form) => readFile(join(directory, `${name}${form}`))),
  );
  if (plain === undefined || gzipped === undefined || brotli === undefined) throw new Error(`${name} is incomplete`);
  return {
    type: types[extname(name)] ?? 'application/octet-stream',
    plain: [plain],
    gzipped: [gzipped],
    brotli: [brotli],
    hash: createHash('sha256').update(plain).digest('base64url').slice(0, 22),
  };
}

/**
 * Creates the reader of the files of a build, by their path below `directory` (`assets/main-ABC.js`). They are read into memory at the first call. Each
 * has its compressed forms beside it, `.gz` and `.br`. The reader resolves with undefined without a directory, and before a build.
 */
export function createBuiltFiles(directory: string | undefined): () => Promise<ReadonlyMap<string, BundledFile> | undefined> {
  const built = createPrepared(async (folder: string) => {
    const entries = await readdir(folder, { recursive: true });
    const names = entries.map((name) => name.replaceAll('\\', '/')).filter((name) => extname(name) in types);
    return new Map(await Promise.all(names.map(async (name) => [name, await readBuilt(folder, name)] as const)));
  });
  return async () => (directory === undefined ? undefined : built(directory).catch(() => undefined));
}

const manifestSchema = z.record(z.string(), z.string());

/**
 * Reads the documents that the pages of a built dashboard send, by their ids. Empty without a directory. Rejects if the directory has no valid
 * manifest.
 */
export async function readDashboardDocuments(directory: string | undefined): Promise<Readonly<Record<string, string>>> {
  if (directory === undefined) return {};
  return manifestSchema.parse(JSON.parse(await readFile(join(directory, 'documents.json'), 'utf8')));
}

/**
 * Whether a browser requests a page: a GET that accepts HTML. Programs that use GraphQL or the node RPC at the same path accept JSON or name no type.
 */
function isPageRequest({ method, headers }: IncomingMessage): boolean {
  return method === 'GET' && headers.accept?.includes('text/html') === true;
}

const base = '/dashboard';

/** Where elements are added to the head of the page. */
const titlePlace = '<title>';

/** The page with its look, in elements `meta` that its scripts read. The page itself if nothing of it differs. */
async function withLook(page: BundledFile, { name, logo, colours, start, off }: DashboardLook): Promise<BundledFile> {
  const values = {
    name,
    logo: logo && 'own',
    colours: colours && [colours.light, ...(colours.dark === undefined ? [] : [colours.dark])].join(),
    start,
    off: off.join() || undefined,
  };
  const elements = Object.entries(values).flatMap(([key, value]) =>
    value === undefined ? [] : [`<meta name="dashboard-${key}" content="${escapedText(value)}">\n`],
  );
  if (elements.length === 0) return page;
  const html = Buffer.concat(page.plain)
    .toString()
    .replace('<head>\n', () => `<head>\n${elements.join('')}`)
    .replace(/<title>.*<\/title>/, (title) => (name === undefined ? title : `<title>${escapedText(name)}</title>`));
  return createFile(page.type, html);
}

const dashboardNotBuilt = errorResponse(404, 'BAD_USER_INPUT', 'The dashboard is not built. Run `npm run build`.');

/**
 * Creates the handler of the dashboard: its files, its page at every other path below `/dashboard`, and the redirect from `/`
 * for browsers without a token. The files contain no data and no token. Without the files of a build,
 * the paths respond 404. `settings.json` says how the pages get a token, as JSON: `{}` if visitors enter one.
 * With `isPublic`, they need none to read: `{"public":true}`. `look` is in the page itself. `headOf` returns elements for the head of the page at a path,
 * undefined for none. It never rejects.
 */
export function createDashboardPage(
  built: ReturnType<typeof createBuiltFiles>,
  login?: DashboardLogin,
  isPublic = false,
  look: DashboardLook = { off: [], ancestors: [] },
  headOf?: (request: IncomingMessage, path: string) => Promise<string | undefined>,
): PublicHandler {
  // The page loads nothing from other hosts, and sends nothing to them but the requests of a login.
  const issuer = login?.kind === 'openid' ? ` ${new URL(login.issuer).origin}` : '';
  const policy = `default-src 'self'; connect-src 'self'${issuer}; frame-ancestors ${look.ancestors.join(' ') || "'none'"}; base-uri 'none'; form-action 'none'`;
  const settingsFile = createPrepared(() =>
    createFile('application/json', JSON.stringify({ login, ...(isPublic && { public: true }) })),
  );
  const iconFile = createPrepared(async () => {
    const { logo } = look;
    if (logo === undefined) return createFile('image/svg+xml', icon);
    return createFile(/\.png$/i.test(logo) ? 'image/png' : 'image/svg+xml', await readFile(logo));
  });
  const ownPage = createPrepared((page: BundledFile) => withLook(page, look));
  const template = createPrepared(async (page: BundledFile) =>
    createTemplate(page.type, Buffer.concat(page.plain), titlePlace),
  );

  return {
    surface: 'dashboard',
    isPage: true,
    isPublic: true,
    paths: [base, `${base}/*`, '/'],
    // Without a token, a browser that opens `/` gets the dashboard. All other requests to `/` belong to the node RPC.
    accepts: (request, path) => path !== '/' || (isPageRequest(request) && request.headers.authorization === undefined),
    async handle(request, response, path) {
      if (path === '/') {
        response
          .writeHead(302, {
            location: `${base}${look.start ?? ''}`,
            'cache-control': 'no-cache',
            vary: 'Accept, Authorization, Origin',
          })
          .end();
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
      if (isAsset) return sendFile(request, response, file, headers);
      const [page, head] = await Promise.all([ownPage(file), headOf?.(request, path)]);
      sendFile(request, response, head === undefined ? page : (await template(page)).fill(head + titlePlace), headers);
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
    method: 'GET',
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
