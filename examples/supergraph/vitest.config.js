import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const pathOf = (path) => fileURLToPath(new URL(path, import.meta.url));

// The tests send requests to the servers of start.js. They use the chain and Stele of the project's tests, with the same
// graphql package.
export default defineConfig({
  root: pathOf('.'),
  resolve: { alias: [{ find: /^graphql$/, replacement: pathOf('../../node_modules/graphql/index.js') }] },
  test: { testTimeout: 30_000, hookTimeout: 30_000 },
});
