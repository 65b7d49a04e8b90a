import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { startProgram } from '../../bench/child.ts';

const folder = mkdtempSync(join(tmpdir(), 'bench-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Writes a program and returns its path. */
function program(name: string, text: string): string {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
}

it('a program of another package is measured without code for it, and stops although it handles SIGTERM', async () => {
  const file = program(
    'server.mjs',
    `process.on('SIGTERM', () => undefined);
     process.on('message', () => { for (const start = process.cpuUsage(); process.cpuUsage(start).user < 30_000; ); });
     process.send({ url: process.argv[2] + process.pid });`,
  );
  const child = await startProgram(file, ['process ']);
  const pid = Number(/^process (\d+)$/.exec(child.url)?.[1]);
  const before = await child.measure();
  const after = await child.measure();
  expect(after.cpu - before.cpu).toBeGreaterThanOrEqual(30_000);
  await child.stop();
  expect(() => process.kill(pid, 0)).toThrow('ESRCH');
});

it('a program that exits before it is ready is an error', async () => {
  const file = program('broken.mjs', 'process.exit(3);');
  await expect(startProgram(file, [])).rejects.toThrow('has stopped with exit code 3');
});
