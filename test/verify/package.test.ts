import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { expect, it } from 'vitest';

it('loads at most 40 kB in a browser at first, and depends on nothing but hashes and curves', async () => {
  const { outputFiles, metafile } = await build({
    entryPoints: ['packages/verify/src/entry/index.ts'],
    bundle: true,
    splitting: true,
    outdir: 'out',
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    write: false,
    metafile: true,
  });
  const sizes = new Map(
    Object.keys(metafile.outputs).map((path) => {
      const file = outputFiles.find((output) => output.path.endsWith(path));
      return [path, gzipSync(file!.contents, { level: 9 }).length];
    }),
  );
  /** What is loaded with a file: all that it does not import on demand. */
  const loaded = new Set<string>();
  const load = (path: string): void => {
    if (loaded.has(path)) return;
    loaded.add(path);
    for (const { path: inner, kind } of metafile.outputs[path]!.imports) if (kind === 'import-statement') load(inner);
  };
  load('out/index.js');
  const sizeOf = (paths: Iterable<string>) => [...paths].reduce((sum, path) => sum + sizes.get(path)!, 0);
  console.log(`@stele/verify: ${sizeOf(loaded)} bytes at first, ${sizeOf(sizes.keys())} with both curves, gzipped`);
  expect(sizeOf(loaded)).toBeLessThan(40_000);
  const curves = Object.entries(metafile.outputs).filter(([, { inputs }]) =>
    Object.keys(inputs).some((path) => path.includes('@noble/curves')),
  );
  expect(curves.map(([path]) => loaded.has(path))).not.toContain(true);
  const folders = new Set(
    Object.keys(metafile.inputs).map((path) => /node_modules\/(@\w+\/\w+)/.exec(path)?.[1] ?? path.split('/', 2).join('/')),
  );
  expect(folders).toEqual(new Set(['packages/verify', '@noble/hashes', '@noble/curves']));
});
