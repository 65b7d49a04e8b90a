import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
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
  export * from './dashboard/src/components/rehearsal/gen/graphql.ts';
  export * from './dashboard/src/components/acting/gen/graphql.ts';
  export * from './dashboard/src/components/lists/gen/graphql.ts';
  export * from './dashboard/src/pages/trends/gen/graphql.ts';
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

/** The worker that verifies proofs. It shares no code with the pages, which load it when a visitor asks for a proof. */
const worker = { verifier: 'dashboard/src/proof/worker.ts' };

/**
 * Bundles the dashboard into `outdir`: `index.html`, and files below `assets` whose names contain a hash of their content. Beside
 * each file are its compressed forms, `.gz` and `.br`. `documents.json` is the manifest of the documents that the pages send. `root` is the project.
 *
 * @param {string} outdir
 * @param {string} [root]
 */
export async function bundleDashboard(outdir, root = '.') {
  rmSync(outdir, { recursive: true, force: true });
  const common = {
    ...pageOptions(outdir, root),
    // The sources of the packages, so that they need not be built first.
    alias: {
      '@stele/client/sign': './packages/client/src/sign/index.ts',
      '@stele/client': './packages/client/src/index.ts',
      '@stele/verify': './packages/verify/src/entry/index.ts',
    },
  };
  // Curves are loaded only by browsers without them.
  const verifier = await build({ ...common, entryPoints: worker, splitting: true, format: 'esm' });
  const verifierPath =
    Object.entries(verifier.metafile.outputs).find(([, { entryPoint }]) => entryPoint === worker.verifier)?.[0] ?? '';
  const [documents, ...builds] = await Promise.all([
    readDocuments(root),
    build({
      ...common,
      entryPoints,
      splitting: true,
      format: 'esm',
      jsx: 'automatic',
      jsxImportSource: 'preact',
      define: {
        'process.env.NODE_ENV': '"production"',
        VERIFIER_URL: JSON.stringify(`/dashboard/assets/${basename(verifierPath)}`),
      },
    }),
    build({ ...common, entryPoints: early, format: 'iife' }),
  ]);
  mkdirSync(join(outdir, 'assets'), { recursive: true });
  writeFileSync(join(outdir, 'documents.json'), JSON.stringify(documents));
  await writePage(join(root, 'dashboard/index.html'), join(outdir, 'index.html'), [...builds, verifier], {
    ...entryPoints,
    ...early,
  });
}

/** The playground and its styles. */
const playgroundPoints = { main: 'dashboard/playground/main.ts', style: 'dashboard/playground/style.css' };

/** Whether the libraries of the playground are installed. They are development dependencies, like esbuild. */
function hasGraphiql() {
  try {
    return import.meta.resolve('graphiql') !== '';
  } catch {
    return false;
  }
}

/**
 * Bundles the playground into the directory of the dashboard: `playground.html`, and files below `assets`.
 *
 * @param {string} outdir
 * @param {string} [root]
 */
export async function bundlePlayground(outdir, root = '.') {
  if (!hasGraphiql()) {
    process.stderr.write('build: graphiql is not installed, so the playground is not built; run `npm ci`\n');
    return;
  }
  const built = await build({
    ...pageOptions(outdir, root),
    entryPoints: playgroundPoints,
    entryNames: 'playground-[name]-[hash]',
    format: 'esm',
    define: { 'process.env.NODE_ENV': '"production"' },
    plugins: [{ name: 'no fonts', setup: withoutFonts }],
  });
  await writePage(join(root, 'dashboard/playground/index.html'), join(outdir, 'playground.html'), [built], playgroundPoints);
}

/**
 * Leaves the fonts out of the styles of GraphiQL: they are nine tenths of them.
 *
 * @param {import('esbuild').PluginBuild} build
 */
function withoutFonts({ onLoad }) {
  onLoad({ filter: /graphiql[\\/]dist[\\/]style\.css$/ }, ({ path }) => ({
    contents: readFileSync(path, 'utf8').replaceAll(/@font-face\s*\{[^}]*\}/g, ''),
    loader: 'css',
  }));
}

/**
 * The options of all bundles for browsers.
 *
 * @param {string} outdir
 * @param {string} root
 * @returns {import('esbuild').BuildOptions & { write: false, metafile: true }}
 */
function pageOptions(outdir, root) {
  return {
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
}

/**
 * The files that an entry point imports before it runs, so that a browser can load them at the same time as the entry point.
 *
 * @param {import('esbuild').Metafile} metafile
 * @param {string | undefined} point
 */
function staticImports({ outputs }, point) {
  const entry = Object.keys(outputs).find((path) => point !== undefined && outputs[path]?.entryPoint === point);
  const found = new Set(entry === undefined ? [] : [entry]);
  for (const path of found)
    for (const { kind, path: imported } of outputs[path]?.imports ?? []) if (kind === 'import-statement') found.add(imported);
  return [...found].slice(1);
}

/**
 * Writes a page, in which `%name%` is the URL of an entry point, and the files of its bundles, each with its compressed forms.
 *
 * @param {string} source
 * @param {string} target
 * @param {readonly import('esbuild').BuildResult<{ write: false, metafile: true }>[]} builds
 * @param {Readonly<Record<string, string>>} points
 */
async function writePage(source, target, builds, points) {
  const names = new Map(
    builds.flatMap(({ metafile }) =>
      Object.entries(metafile.outputs).flatMap(([path, { entryPoint }]) =>
        entryPoint === undefined ? [] : [[entryPoint, basename(path)]],
      ),
    ),
  );
  const html = readFileSync(source, 'utf8').replaceAll(/%(\w+)%/g, (_, name) => {
    const file = names.get(points[name]);
    if (file === undefined) throw new Error(`${source} names ${name}, which is no entry point`);
    return `/dashboard/assets/${file}`;
  });
  const preloads = builds.flatMap(({ metafile }) => staticImports(metafile, points.main));
  const links = preloads.map((path) => `<link rel="modulepreload" href="/dashboard/assets/${basename(path)}">\n`);
  const page = html.replace('</head>', `${links.join('')}</head>`);
  const assets = join(dirname(target), 'assets');
  /** @type {[string, Uint8Array][]} */
  const files = [
    [target, Buffer.from(page)],
    ...builds.flatMap(({ outputFiles }) =>
      outputFiles.map(({ path, contents }) => /** @type {[string, Uint8Array]} */ ([join(assets, basename(path)), contents])),
    ),
  ];
  await Promise.all(
    files.map(async ([path, contents]) => {
      writeFileSync(path, contents);
      writeFileSync(`${path}.gz`, await gzipped(contents, { level: 9 }));
      writeFileSync(`${path}.br`, await brotlied(contents, { params: { [zlib.BROTLI_PARAM_QUALITY]: 9 } }));
    }),
  );
}
