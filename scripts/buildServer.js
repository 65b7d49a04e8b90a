import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { entryPoints } from './entryPoints.js';

// Builds the package of the server: `npm run build --workspace stele`. npm runs it in the directory of the package. It is the build of the repository
// without source maps, and without the libraries that npm installs for each platform.
process.chdir(fileURLToPath(new URL('..', import.meta.url)));
const { bundle } = await import('./bundle.js');
const { bundleDashboard, bundlePlayground } = await import('./dashboard.js');
const { buildInto } = await import('./place.js');
await buildInto('packages/server/dist', async (directory) => {
  const { devnet: _, ...programs } = entryPoints;
  await bundle(programs, directory);
  for (const name of readdirSync(directory)) if (name.endsWith('.map')) rmSync(join(directory, name));
  await bundleDashboard(join(directory, 'dashboard'));
  await bundlePlayground(join(directory, 'dashboard'));
});
