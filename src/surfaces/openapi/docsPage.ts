import { readFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { createRequire } from 'node:module';
import { isLocalRequest } from '../../server/messages/clientAddress.ts';
import { notFound, sendError } from '../../server/messages/errors.ts';
import type { PublicHandler } from '../../server/router.ts';
import { type BundledFile, createFile, createTemplate, sendFile } from '../pages/bundledFile.ts';
import { createPrepared } from '../pages/prepared.ts';

/** Content Security Policy: the page loads nothing from other hosts. Swagger UI sets inline styles. */
const pagePolicy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Files of Swagger UI that the page loads, with their media types. */
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

/** Placeholder for the token in the prepared page. */
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
      const shown = isLocalRequest(request) ? await token?.() : undefined;
      return (await template(undefined)).fill(shown ?? '');
    }
    return files.get(path.slice('/docs/'.length))?.(undefined);
  }

  return {
    surface: 'docs',
    isPage: true,
    matches: (path) => path === '/docs' || path.startsWith('/docs/'),
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
