import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, it } from 'vitest';
import { buildInto } from '../../scripts/place.js';

const root = mkdtempSync(join(tmpdir(), 'stele-place-'));
const outdir = join(root, 'dist');

afterAll(() => rmSync(root, { recursive: true, force: true }));

/** A program of a main file and a chunk with a name of its own, as the bundler makes them. It prints its number. */
const builder = `
import { mkdirSync, writeFileSync } from 'node:fs';
import { buildInto } from '${resolve('scripts/place.js')}';
const [outdir, first, count] = process.argv.slice(2);
for (let build = Number(first); build < Number(first) + Number(count); build++)
  await buildInto(outdir, (directory) => {
    mkdirSync(directory);
    writeFileSync(directory + '/package.json', '{ "type": "module" }');
    writeFileSync(directory + '/main.js', "const { number } = await import('./chunk-" + build + ".js'); console.log(number);");
    writeFileSync(directory + '/chunk-' + build + '.js', 'export const number = ' + build + ';');
  });
`;

it('programs start at any time while two processes build, and the files of the last two builds remain', async () => {
  const file = join(root, 'builder.js');
  writeFileSync(join(root, 'package.json'), '{ "type": "module" }');
  writeFileSync(file, builder);
  const build = (first: number, count: number) =>
    spawn(process.execPath, [file, outdir, String(first), String(count)], { stdio: 'inherit' });
  expect(await once(build(1, 1), 'exit')).toEqual([0, null]);
  const builders = [build(100, 20), build(200, 20)];
  const ends = Promise.all(builders.map((child) => once(child, 'exit')));
  let starts = 0;
  while (builders.some(({ exitCode }) => exitCode === null)) {
    const { stdout } = await promisify(execFile)(process.execPath, [join(outdir, 'main.js')]);
    expect(stdout).toMatch(/^\d+\n$/);
    starts++;
  }
  expect(await ends).toEqual([
    [0, null],
    [0, null],
  ]);
  expect(starts).toBeGreaterThan(0);
  expect(readdirSync(outdir).toSorted()).toEqual([expect.any(String), expect.any(String), 'main.js', 'package.json']);
  expect(existsSync(`${outdir}.next`)).toBe(false);
});

it('a build that fails leaves the build before as it is, and the next one can begin', async () => {
  const files = readdirSync(outdir);
  const failure = new Error('no');
  const failing = buildInto(outdir, () => {
    throw failure;
  });
  await expect(failing).rejects.toBe(failure);
  expect(readdirSync(outdir)).toEqual(files);
  const again = buildInto(outdir, () => {
    throw failure;
  });
  await expect(again).rejects.toBe(failure);
});
