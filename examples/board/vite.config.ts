import { defineConfig } from 'vite';

const stele = process.env.STELE_URL ?? 'http://localhost:4000';

export default defineConfig({
  server: {
    proxy: {
      '/graphql': { target: stele, ws: true },
      // The secret of the client stays in this process. The page never receives it.
      '/oauth/token': { target: stele, headers: { authorization: `Basic ${btoa('devnet:devnet')}` } },
    },
  },
});
