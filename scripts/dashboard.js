import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, gzip, constants as zlib } from 'node:zlib';
import { build } from 'esbuild';
import { rolldown } from 'rolldown';

const gzipped = promisify(gzip);
const brotlied = promisify(brotliCompress);

/** The application. */
const main = 'dashboard/src/main.tsx';

/** Its styles, and a script that runs before the first paint. It is no module, so it shares no code with the application. */
const beside = { style: 'dashboard/src/style/main.css', theme: 'dashboard/src/theme/early.ts' };

/** The sources of the packages, so that they need not be built first. */
const packageSources = {
  '@stele/client/sign': './packages/client/src/sign/index.ts',
  '@stele/client': './packages/client/src/index.ts',
  '@stele/verify': './packages/verify/src/entry/index.ts',
};

/** A module that at least this many pages and parts of pages use is loaded with all of them. */
const common = 12;

/**
 * The files of a bundle.
 *
 * @typedef {object} Bundle
 * @property {ReadonlyMap<string, string>} names The names of the files of its entry points, by their sources.
 * @property {readonly string[]} preloads The names of the files that a page needs besides.
 * @property {readonly (readonly [string, Uint8Array])[]} files
 */

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
 * Bundles the pages. A page of a few files opens faster than one of fifty, and a server counts the files that one address requests. So what the application
 * imports before it runs is one file, what most pages share is another, and both are loaded at the same time. esbuild cannot do this.
 *
 * @param {string} root
 * @param {string} verifierUrl
 * @returns {Promise<Bundle>}
 */
async function bundlePages(root, verifierUrl) {
  const bundle = await rolldown({
    cwd: resolve(root),
    input: main,
    platform: 'browser',
    tsconfig: 'dashboard/tsconfig.json',
    preserveEntrySignatures: false,
    resolve: { alias: Object.fromEntries(Object.entries(packageSources).map(([name, path]) => [name, resolve(root, path)])) },
    transform: {
      target: 'es2022',
      define: { 'process.env.NODE_ENV': '"production"', VERIFIER_URL: JSON.stringify(verifierUrl) },
    },
  });
  const { output } = await bundle.generate({
    format: 'esm',
    minify: true,
    comments: { legal: false },
    entryFileNames: '[name]-[hash].js',
    chunkFileNames: '[name]-[hash].js',
    codeSplitting: {
      groups: [
        { name: 'app', tags: ['$initial'], priority: 1 },
        { name: 'shared', minShareCount: common },
      ],
    },
  });
  await bundle.close();
  const chunks = output.flatMap((file) => (file.type === 'chunk' ? [file] : []));
  const entry = chunks.find(({ isEntry }) => isEntry);
  const shared = chunks.filter(({ name }) => name === 'shared').map(({ fileName }) => fileName);
  return {
    names: new Map(entry === undefined ? [] : [[main, entry.fileName]]),
    preloads: [...new Set([...(entry?.imports ?? []), ...shared])],
    files: chunks.map(({ fileName, code }) => /** @type {const} */ ([fileName, Buffer.from(code)])),
  };
}

/**
 * The files of a bundle of esbuild.
 *
 * @param {import('esbuild').BuildResult<{ write: false, metafile: true }>} built
 * @returns {Bundle}
 */
function bundleOf({ metafile, outputFiles }) {
  return {
    names: new Map(
      Object.entries(metafile.outputs).flatMap(([path, { entryPoint }]) =>
        entryPoint === undefined ? [] : [[entryPoint, basename(path)]],
      ),
    ),
    preloads: [],
    files: outputFiles.map(({ path, contents }) => /** @type {const} */ ([basename(path), contents])),
  };
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
  const options = pageOptions(outdir, root);
  // Curves are loaded only by browsers without them.
  const verifier = bundleOf(
    await build({ ...options, alias: packageSources, entryPoints: worker, splitting: true, format: 'esm' }),
  );
  const [documents, pages, ...builds] = await Promise.all([
    readDocuments(root),
    bundlePages(root, `/dashboard/assets/${verifier.names.get(worker.verifier)}`),
    build({ ...options, entryPoints: beside, format: 'iife' }),
  ]);
  mkdirSync(join(outdir, 'assets'), { recursive: true });
  writeFileSync(join(outdir, 'documents.json'), JSON.stringify(documents));
  await writePage(join(root, 'dashboard/index.html'), join(outdir, 'index.html'), [pages, ...builds.map(bundleOf), verifier], {
    main,
    ...beside,
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
  await writePage(
    join(root, 'dashboard/playground/index.html'),
    join(outdir, 'playground.html'),
    [bundleOf(built)],
    playgroundPoints,
  );
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
 * Writes a page, in which `%name%` is the URL of an entry point, and the files of its bundles, each with its compressed forms.
 *
 * @param {string} source
 * @param {string} target
 * @param {readonly Bundle[]} bundles
 * @param {Readonly<Record<string, string>>} points
 */
async function writePage(source, target, bundles, points) {
  const names = new Map(bundles.flatMap((bundle) => [...bundle.names]));
  const html = readFileSync(source, 'utf8').replaceAll(/%(\w+)%/g, (_, name) => {
    const file = names.get(points[name] ?? '');
    if (file === undefined) throw new Error(`${source} names ${name}, which is no entry point`);
    return `/dashboard/assets/${file}`;
  });
  const links = bundles
    .flatMap(({ preloads }) => preloads)
    .map((file) => `<link rel="modulepreload" href="/dashboard/assets/${file}">\n`);
  const page = html.replace('</head>', `${links.join('')}</head>`);
  const assets = join(dirname(target), 'assets');
  /** @type {readonly (readonly [string, Uint8Array])[]} */
  const files = [
    [target, Buffer.from(page)],
    ...bundles.flatMap((bundle) =>
      bundle.files.map(([name, contents]) => /** @type {const} */ ([join(assets, name), contents])),
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
