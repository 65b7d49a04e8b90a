import { defineConfig } from 'vite';

const target = process.env.STELE_URL ?? 'http://localhost:4000';
const team = process.env.TEAM_URL ?? 'http://localhost:4802';

export default defineConfig({
  server: {
    proxy: {
      '/graphql': { target, ws: true },
      // The secret of the client stays in this process. The page never receives it.
      '/oauth/token': { target, headers: { authorization: `Basic ${btoa('devnet:devnet')}` } },
      '/notices': { target: team },
      '/proposals.csv': { target: team },
    },
  },
});
