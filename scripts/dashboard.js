import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, gzip, constants as zlib } from 'node:zlib';
import { build } from 'esbuild';

const gzipped = promisify(gzip);
const brotlied = promisify(brotliCompress);

/** The entry points of the dashboard: the application, the script that sets the theme before the first paint, and the styles. */
const entryPoints = { main: 'dashboard/src/main.tsx', theme: 'dashboard/src/theme/early.ts', style: 'dashboard/src/style/main.css' };

/**
 * Bundles the dashboard into `outdir`: `index.html`, and files below `assets` whose names contain a hash of their content. Beside
 * each file are its compressed forms, `.gz` and `.br`. `root` is the project.
 *
 * @param {string} outdir
 * @param {string} [root]
 */
export async function bundleDashboard(outdir, root = '.') {
  rmSync(outdir, { recursive: true, force: true });
  const { metafile, outputFiles } = await build({
    absWorkingDir: join(process.cwd(), root),
    entryPoints,
    outdir: join(outdir, 'assets'),
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    bundle: true,
    splitting: true,
    minify: true,
    write: false,
    metafile: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    legalComments: 'none',
    logLevel: 'warning',
    define: { 'process.env.NODE_ENV': '"production"' },
    // The sources of the client, so that it need not be built first.
    alias: { '@stele/client': './packages/client/src/index.ts' },
  });
  /** @type {Record<string, string>} */
  const names = {};
  for (const [path, { entryPoint }] of Object.entries(metafile.outputs))
    if (entryPoint !== undefined) names[entryPoint] = basename(path);
  const html = readFileSync(join(root, 'dashboard/index.html'), 'utf8').replaceAll(/%(\w+)%/g, (_, name) => {
    const file = names[entryPoints[name]];
    if (file === undefined) throw new Error(`dashboard/index.html names ${name}, which is no entry point`);
    return `/dashboard/assets/${file}`;
  });
  mkdirSync(join(outdir, 'assets'), { recursive: true });
  const files = [['index.html', Buffer.from(html)], ...outputFiles.map(({ path, contents }) => [join('assets', basename(path)), contents])];
  await Promise.all(
    files.map(async ([name, contents]) => {
      const path = join(outdir, name);
      writeFileSync(path, contents);
      writeFileSync(`${path}.gz`, await gzipped(contents, { level: 9 }));
      writeFileSync(`${path}.br`, await brotlied(contents, { params: { [zlib.BROTLI_PARAM_QUALITY]: 10 } }));
    }),
  );
  return metafile;
}
