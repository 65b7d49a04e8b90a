import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { afterAll, expect, it } from 'vitest';
import { buildInto } from '../../scripts/place.js';
import { sizeOf } from '../support/atRandom.ts';

const root = mkdtempSync(join(tmpdir(), 'stele-place-'));
const outdir = join(root, 'dist');

afterAll(() => rmSync(root, { recursive: true, force: true }));

/** A process that builds a program of a main file and a chunk with a name of its own, as the bundler makes them, for each line that it reads. The program prints its number. */
const builder = `
import { mkdirSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { buildInto } from '${resolve('scripts/place.js')}';
for await (const build of createInterface({ input: process.stdin })) {
  await buildInto(process.argv[2], (directory) => {
    mkdirSync(directory);
    writeFileSync(directory + '/package.json', '{ "type": "module" }');
    writeFileSync(directory + '/main.js', "const { number } = await import('./chunk-" + build + ".js'); console.log(number);");
    writeFileSync(directory + '/chunk-' + build + '.js', 'export const number = ' + build + ';');
  });
  console.log('built');
}
`;

it('programs start while one of two processes builds, and the files of the last two builds remain', async () => {
  const file = join(root, 'builder.js');
  writeFileSync(join(root, 'package.json'), '{ "type": "module" }');
  writeFileSync(file, builder);
  const builders = [0, 1].map(() => {
    const child = spawn(process.execPath, [file, outdir], { stdio: ['pipe', 'pipe', 'inherit'] });
    return { child, lines: createInterface({ input: child.stdout })[Symbol.asyncIterator]() };
  });
  const build = async (by: number, number: number): Promise<void> => {
    const { child, lines } = builders[by]!;
    child.stdin.write(`${number}\n`);
    expect(await lines.next()).toMatchObject({ value: 'built' });
  };
  const start = async (): Promise<void> => {
    const { stdout } = await promisify(execFile)(process.execPath, [join(outdir, 'main.js')]);
    expect(stdout).toMatch(/^\d+\n$/);
  };
  await build(0, 100);
  for (let number = 101; number <= sizeOf({ full: 116, ci: 116, own: 106 }); number += 1)
    await Promise.all([build(number % 2, number), start()]);
  // Both at once.
  for (let number = 200; number <= 208; number += 2) await Promise.all([build(0, number), build(1, number + 1)]);
  await start();
  for (const { child } of builders) {
    child.stdin.end();
    expect(await once(child, 'exit')).toEqual([0, null]);
  }
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
