import { execFileSync } from 'node:child_process';
import { cpSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';

// Builds the package of the server: `npm run build --workspace stele`. npm runs it in the directory of the package. It has the build of the repository
// without the libraries in it, which npm installs for each platform.
process.chdir(fileURLToPath(new URL('..', import.meta.url)));
const { buildInto } = await import('./place.js');
execFileSync(process.execPath, ['scripts/build.js'], { stdio: 'inherit' });
await buildInto('packages/server/dist', (directory) => {
  const isShipped = (/** @type {string} */ path) => basename(path) !== 'node_modules' && !path.endsWith('.map');
  cpSync('dist', directory, { recursive: true, filter: isShipped });
});
