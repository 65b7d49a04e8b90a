import { execFileSync } from 'node:child_process';
import { buildInto } from './place.js';

// Builds the client package, in its directory: `npm run build --workspace @stele/client`.
await buildInto('dist', (directory) =>
  execFileSync('npx', ['--no-install', 'tsc', '-p', 'tsconfig.json', '--outDir', directory], { stdio: 'inherit' }),
);
