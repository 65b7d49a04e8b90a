import { existsSync } from 'node:fs';
import { entryPoints } from './entryPoints.js';

// Builds `dist`, which runs without node_modules: the server, the development chain, the commands that create clients and read archives, and the files of
// the dashboard. With `--keep`, an existing build in `dist` is used if esbuild, a development dependency, is not installed.

/** The bundlers. undefined if esbuild is not installed. */
async function loadBundlers() {
  try {
    return { ...(await import('./bundle.js')), ...(await import('./dashboard.js')), ...(await import('./place.js')) };
  } catch (error) {
    if (error.code === 'ERR_MODULE_NOT_FOUND' && error.message.includes("'esbuild'")) return undefined;
    throw error;
  }
}

const bundlers = await loadBundlers();
if (bundlers !== undefined)
  await bundlers.buildInto('dist', async (directory) => {
    await bundlers.bundleAlone(entryPoints, directory);
    await bundlers.bundleDashboard(`${directory}/dashboard`);
    await bundlers.bundlePlayground(`${directory}/dashboard`);
  });
else if (process.argv.includes('--keep') && Object.keys(entryPoints).every((name) => existsSync(`dist/${name}.js`)))
  process.stderr.write('build: esbuild is not installed; using the existing build in dist\n');
else {
  process.stderr.write('build: esbuild is not installed; run `npm ci` and `npm run build`, or copy dist from another build\n');
  process.exit(1);
}
