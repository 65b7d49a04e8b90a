import { cpSync, existsSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';

/**
 * Libraries that stay outside the bundles because they are read at the first request of a browser or for the first card of a proposal, and the files of
 * each that are used.
 */
const pageLibraries = {
  'swagger-ui-dist': [
    'package.json',
    'LICENSE',
    'NOTICE',
    'swagger-ui.css',
    'swagger-ui-bundle.js',
    'swagger-ui-standalone-preset.js',
    'favicon-32x32.png',
  ],
  '@resvg/resvg-wasm': ['package.json', 'README.md', 'index.mjs', 'index_bg.wasm'],
  'dejavu-fonts-ttf': ['package.json', 'LICENSE', 'AUTHORS', 'ttf/DejaVuSans.ttf', 'ttf/DejaVuSans-Bold.ttf'],
};

/** Libraries that stay outside the bundles because they load compiled code: SQLite, for the platforms that are installed. */
const nativeLibraries = ['libsql', '@neon-rs/load', ...readdirSync('node_modules/@libsql').map((name) => `@libsql/${name}`)];

/** Files that run in threads of their own. */
const threads = { archiveWorker: 'src/archive/sqlite/worker.ts', cardWorker: 'src/surfaces/cards/worker.ts' };

/**
 * Files of ours in the place of libraries that are slow on Node.js. Those for our own code alone are not seen by other libraries.
 */
const replacements = [
  { library: '@whatwg-node/promise-helpers', file: 'scripts/promiseHelpers.ts', isOurs: false },
  { library: '@noble/hashes/sha2.js', file: 'scripts/sha256.ts', isOurs: true },
];

/** @type {import('esbuild').Plugin} */
const replaceLibraries = {
  name: 'replace-libraries',
  setup({ onResolve }) {
    for (const { library, file, isOurs } of replacements) {
      const path = resolve(file);
      onResolve({ filter: new RegExp(`^${library}$`) }, ({ importer }) =>
        importer === path || (isOurs && /[\\/]node_modules[\\/]/.test(importer)) ? undefined : { path },
      );
    }
  },
};

/** @type {import('esbuild').BuildOptions} */
const options = {
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  sourcemap: true,
  logLevel: 'warning',
  define: {
    // graphql leaves out the checks that only help the developers of a schema.
    'process.env.NODE_ENV': '"production"',
    // write-file-atomic reads `__filename`, which ES modules do not have.
    __filename: 'import.meta.filename',
  },
  // pg requires pg-native only if it is asked for.
  external: [...Object.keys(pageLibraries), 'libsql', 'pg-native'],
  // All code must share one copy of graphql, because a copy rejects the types of another.
  alias: { graphql: 'graphql/index.mjs' },
  plugins: [replaceLibraries],
  // CommonJS libraries load the modules of Node.js with `require`.
  banner: { js: "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);" },
};

/**
 * Makes one file of each entry point and of each thread, by its name, and files for what they share or load later: node reads and links hundreds of
 * small files otherwise, which is half of the time to start.
 *
 * @param {Record<string, string>} entryPoints
 * @param {string} outdir
 */
export async function bundle(entryPoints, outdir) {
  await build({ ...options, entryPoints: { ...entryPoints, ...threads }, outdir, splitting: true });
}

/**
 * Makes one file, `outfile`, of an entry point and everything that it uses.
 *
 * @param {string} entryPoint
 * @param {string} outfile
 */
export async function bundleFile(entryPoint, outfile) {
  await build({ ...options, entryPoints: [entryPoint], outfile });
}

/**
 * Makes `outdir` of nothing but the bundles of these entry points and the libraries that are not bundled. It needs no file outside of it, on the
 * platforms whose SQLite is installed.
 *
 * @param {Record<string, string>} entryPoints
 * @param {string} outdir
 */
export async function bundleAlone(entryPoints, outdir) {
  rmSync(outdir, { recursive: true, force: true });
  await bundle(entryPoints, outdir);
  // Without it the type of the files depends on the directory above.
  writeFileSync(join(outdir, 'package.json'), '{ "private": true, "type": "module" }\n');
  for (const [library, files] of Object.entries(pageLibraries))
    for (const file of files)
      cpSync(join('node_modules', library, file), join(outdir, 'node_modules', library, file), { recursive: true });
  for (const library of nativeLibraries)
    cpSync(join('node_modules', library), join(outdir, 'node_modules', library), { recursive: true });
}

/**
 * Lets the bundles in `outdir` use the installed libraries, for a directory outside of the project that is removed soon.
 *
 * @param {string} outdir
 */
export function linkLibraries(outdir) {
  const link = join(outdir, 'node_modules');
  if (!existsSync(link)) symlinkSync(resolve('node_modules'), link);
}
