import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { expect, it } from 'vitest';

it('has at most 40 kB for a browser, and depends on nothing but hashes and curves', async () => {
  const { outputFiles, metafile } = await build({
    entryPoints: ['packages/verify/src/index.ts'],
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    write: false,
    metafile: true,
  });
  const bytes = gzipSync(outputFiles[0]!.contents, { level: 9 }).length;
  console.log(`@stele/verify: ${bytes} bytes, gzipped`);
  expect(bytes).toBeLessThan(40_000);
  const folders = new Set(
    Object.keys(metafile.inputs).map((path) => /node_modules\/(@\w+\/\w+)/.exec(path)?.[1] ?? path.split('/', 2).join('/')),
  );
  expect(folders).toEqual(new Set(['packages/verify', '@noble/hashes', '@noble/curves']));
});
