import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, gzip, constants as zlib } from 'node:zlib';
import { build } from 'esbuild';

const gzipped = promisify(gzip);
const brotlied = promisify(brotliCompress);

/** The application and its styles. */
const entryPoints = { main: 'dashboard/src/main.tsx', style: 'dashboard/src/style/main.css' };

/** A script that runs before the first paint. It is no module, so it shares no code with the application. */
const early = { theme: 'dashboard/src/theme/early.ts' };

/** The operations of the pages, and the one with which the client sends transactions. */
const documentSources = `
  export * from './dashboard/src/gen/graphql.ts';
  export { submitDocument } from './packages/client/src/submit.ts';
`;

/**
 * Reads the documents that the pages send, by the SHA-256 of each: a manifest of trusted documents.
 *
 * @param {string} root
 */
async function readDocuments(root) {
  const { outputFiles } = await build({
    stdin: { contents: documentSources, resolveDir: resolve(root), loader: 'ts' },
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'neutral',
    external: ['graphql-ws'],
    treeShaking: true,
    logLevel: 'warning',
  });
  const code = Buffer.from(outputFiles[0]?.contents ?? '').toString('base64');
  const module = await import(`data:text/javascript;base64,${code}`);
  const texts = Object.entries(module).flatMap(([name, value]) => (/Document$/.test(name) ? [String(value)] : []));
  return Object.fromEntries(texts.map((text) => [createHash('sha256').update(text).digest('hex'), text]));
}

/**
 * Bundles the dashboard into `outdir`: `index.html`, and files below `assets` whose names contain a hash of their content. Beside
 * each file are its compressed forms, `.gz` and `.br`. `documents.json` is the manifest of the documents that the pages send. `root` is the project.
 *
 * @param {string} outdir
 * @param {string} [root]
 */
export async function bundleDashboard(outdir, root = '.') {
  rmSync(outdir, { recursive: true, force: true });
  /** @type {import('esbuild').BuildOptions & { write: false, metafile: true }} */
  const common = {
    absWorkingDir: resolve(root),
    outdir: join(outdir, 'assets'),
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    platform: 'browser',
    target: 'es2022',
    legalComments: 'none',
    logLevel: 'warning',
  };
  const [documents, ...builds] = await Promise.all([
    readDocuments(root),
    build({
      ...common,
      entryPoints,
      splitting: true,
      format: 'esm',
      jsx: 'automatic',
      jsxImportSource: 'preact',
      define: { 'process.env.NODE_ENV': '"production"' },
      // The sources of the client, so that it need not be built first.
      alias: { '@stele/client': './packages/client/src/index.ts' },
    }),
    build({ ...common, entryPoints: early, format: 'iife' }),
  ]);
  const outputFiles = builds.flatMap((each) => each.outputFiles);
  const names = new Map(
    builds.flatMap(({ metafile }) =>
      Object.entries(metafile.outputs).flatMap(([path, { entryPoint }]) =>
        entryPoint === undefined ? [] : [[entryPoint, basename(path)]],
      ),
    ),
  );
  const html = readFileSync(join(root, 'dashboard/index.html'), 'utf8').replaceAll(/%(\w+)%/g, (_, name) => {
    const file = names.get({ ...entryPoints, ...early }[name]);
    if (file === undefined) throw new Error(`dashboard/index.html names ${name}, which is no entry point`);
    return `/dashboard/assets/${file}`;
  });
  mkdirSync(join(outdir, 'assets'), { recursive: true });
  writeFileSync(join(outdir, 'documents.json'), JSON.stringify(documents));
  const files = [
    ['index.html', Buffer.from(html)],
    ...outputFiles.map(({ path, contents }) => [join('assets', basename(path)), contents]),
  ];
  await Promise.all(
    files.map(async ([name, contents]) => {
      const path = join(outdir, name);
      writeFileSync(path, contents);
      writeFileSync(`${path}.gz`, await gzipped(contents, { level: 9 }));
      writeFileSync(`${path}.br`, await brotlied(contents, { params: { [zlib.BROTLI_PARAM_QUALITY]: 9 } }));
    }),
  );
}
