import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { beforeAll, expect, it } from 'vitest';
import { settings } from '../../src/config/settings/settings.ts';
import { builtProgram } from '../support/builds.ts';

let main: string;

beforeAll(async () => {
  main = await builtProgram('main');
});

function print(...flags: readonly string[]): readonly [code: number | null, out: string, err: string] {
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, ...flags], { encoding: 'utf8' });
  return [status, stdout, stderr];
}

it('--version prints the version of the package, even with other flags', () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  expect(print('--port', 'x', '--version')).toEqual([0, `${version}\n`, '']);
});

it('--help prints each documented flag with its variable, default and value, and starts no server', () => {
  const [code, out, err] = print('--help', '--port', 'x');
  expect([code, err]).toEqual([0, '']);
  const printed = [
    ...out.matchAll(/^ {2}(--[\w-]+), (\w+) \(default: (.+)\)\n {6}\S.*\n {6}(?:Value: (.+?)|The flag.+)\.( The flag|$)/gm),
  ];
  const pages = ['docs/operating.md', 'docs/authentication.md', 'docs/dashboard.md']
    .map((page) => readFileSync(page, 'utf8'))
    .join('\n');
  const rows = [...pages.matchAll(/^\| `(--[\w-]+)`.*? \| `(STELE_\w+)`.*? \| (.*?) \|/gm)];
  // Each limit has its own variable, but `--help` prints one entry for all limits.
  const documented = rows.filter(([, flag]) => flag !== '--limit');
  const flags = documented.map(([, flag, variable]) => `${flag} ${variable}`);
  expect(printed.map(([, flag, variable]) => `${flag} ${variable}`).toSorted()).toEqual(flags.toSorted());
  for (const [, flag, , shown] of documented) {
    const plain = /^`([^`]+)`$/.exec(shown!)?.[1];
    if (plain !== undefined) expect([flag, printed.find(([, each]) => each === flag)?.[3]]).toEqual([flag, plain]);
  }
  expect(printed).toHaveLength(Object.keys(settings).length);
  expect(out).toContain('--limit NAME=VALUE, STELE_LIMIT_…');
});
