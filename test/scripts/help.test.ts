import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { takeTurns } from '../support/atRandom.ts';
import { builtProgram } from '../support/builds.ts';

const programs = [
  ['main', ['--port', '--node', '--clients-file', '--limit', '--version']],
  ['client', ['--name', '--scopes', '--file', '--public', '--origin']],
  ['archive', ['verify', 'export', '--format', '--what', '--data-dir', '--archive', '--chain-id', '--network']],
  ['devnet', ['--port', '--host', '--block-time', '--without']],
] as const;

const asked = ['--help', '-h'];

describe.each(asked)('%s', (flag) => {
  const turn = takeTurns(asked, flag);

  for (const [name, flags] of programs)
    it.runIf(turn())(`prints the use of ${name} and every flag, and nothing else happens`, async () => {
      const { status, stdout, stderr } = spawnSync(process.execPath, [await builtProgram(name), flag], { encoding: 'utf8' });
      expect([status, stderr]).toEqual([0, '']);
      expect(stdout).toMatch(/^Usage: npm /);
      expect(
        [...flags, '--help'].filter((each) => !new RegExp(`^ +(--limit NAME=VALUE|${each})\\b`, 'm').test(stdout)),
      ).toEqual([]);
    });
});
