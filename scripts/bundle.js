import { cpSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';

/** Libraries outside the bundles, which are read at the first request of a browser, with their files. */
const pageLibraries = {
  '@graphql-yoga/render-graphiql': ['package.json', 'LICENSE', 'cjs'],
  'swagger-ui-dist': [
    'package.json',
    'LICENSE',
    'NOTICE',
    'swagger-ui.css',
    'swagger-ui-bundle.js',
    'swagger-ui-standalone-preset.js',
    'favicon-32x32.png',
  ],
};

/**
 * Bundles each entry point into one file with its name, and shared or lazily loaded code into further files. Without bundles,
 * Node reads and links hundreds of small files, which takes half of the start-up time.
 *
 * @param {Record<string, string>} entryPoints
 * @param {string} outdir
 */
export async function bundle(entryPoints, outdir) {
  await build({
    entryPoints,
    outdir,
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    sourcemap: true,
    logLevel: 'warning',
    // Disables checks of graphql that only help during the development of a schema.
    define: { 'process.env.NODE_ENV': '"production"' },
    external: Object.keys(pageLibraries),
    // All modules must share one copy of graphql, because two copies reject each other's types.
    alias: { graphql: 'graphql/index.mjs' },
    // CommonJS libraries load Node's built-in modules with `require`.
    banner: { js: "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);" },
  });
}

/**
 * Creates `outdir` with only the bundles of these entry points and the libraries of the pages. It needs no files outside.
 *
 * @param {Record<string, string>} entryPoints
 * @param {string} outdir
 */
export async function bundleAlone(entryPoints, outdir) {
  rmSync(outdir, { recursive: true, force: true });
  await bundle(entryPoints, outdir);
  // Without it, the module type depends on the parent directory.
  writeFileSync(join(outdir, 'package.json'), '{ "private": true, "type": "module" }\n');
  for (const [library, files] of Object.entries(pageLibraries))
    for (const file of files)
      cpSync(join('node_modules', library, file), join(outdir, 'node_modules', library, file), { recursive: true });
}
