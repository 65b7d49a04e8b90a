import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

// Builds the package of the development chain: `npm run build --workspace @stele/devnet`. npm runs it in the directory of the package.
process.chdir(fileURLToPath(new URL('..', import.meta.url)));
const { bundleFile } = await import('./bundle.js');
const { buildInto } = await import('./place.js');
await buildInto('packages/devnet/dist', (directory) => bundleFile('packages/devnet/src/main.ts', join(directory, 'devnet.js')));
