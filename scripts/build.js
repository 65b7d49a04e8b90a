import { rmSync } from 'node:fs';
import { build } from 'esbuild';

// One file for the server and one for what it loads later (the devnet): node reads and links hundreds of small files otherwise,
// which is half of the time to start. The playground's 9 MB stay where they are until a browser asks.
rmSync('dist', { recursive: true, force: true });
await build({
  entryPoints: { main: 'src/main.ts', devnet: 'src/devnet/main.ts' },
  outdir: 'dist',
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
  alias: { graphql: 'graphql/index.js' },
  // Libraries in CommonJS ask for node's own modules by `require`.
  banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
});
