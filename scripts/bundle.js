import { build } from 'esbuild';

/**
 * Makes one file of each entry point, by its name, and files for what they share or load later: node reads and links hundreds of
 * small files otherwise, which is half of the time to start.
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
    // graphql then leaves out checks of every value that only help whoever builds a schema.
    define: { 'process.env.NODE_ENV': '"production"' },
    external: ['@graphql-yoga/render-graphiql'],
    // Everything must share one graphql: two copies do not know each other's types.
    alias: { graphql: 'graphql/index.mjs' },
    // Libraries in CommonJS ask for node's own modules by `require`.
    banner: { js: "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);" },
  });
}
