import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const pathOf = (path) => fileURLToPath(new URL(path, import.meta.url));

// The tests speak to what start.js starts. The chain and Stele they take from the project's own tests, with the graphql of those.
export default defineConfig({
  root: pathOf('.'),
  resolve: { alias: [{ find: /^graphql$/, replacement: pathOf('../../node_modules/graphql/index.js') }] },
  test: { testTimeout: 30_000, hookTimeout: 30_000 },
});
