import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { describe, expect, it } from 'vitest';
import { FlagError, parseFlags } from '../../packages/devnet/src/flags.ts';
import { builtProgram } from '../support/builds.ts';

describe('flags', () => {
  it('have defaults, and listen only on this machine', () => {
    expect(parseFlags([])).toEqual({ port: 4657, host: '127.0.0.1', blockTime: 1000, without: [] });
    expect(parseFlags(['--port', '0', '--block-time', '50ms', '--host=::1'])).toMatchObject({
      port: 0,
      host: '::1',
      blockTime: 50,
    });
    expect(parseFlags(['--without', 'group,marker']).without).toEqual(['group', 'marker']);
    expect(parseFlags(['--block-time=1.5s']).blockTime).toBe(1500);
  });

  it.each([
    [['--nope'], /--nope/],
    [['here'], /here/],
    [['--port', 'x'], /^--port must be a port from 0 to 65535, not "x"$/],
    [['--port', '65536'], /^--port/],
    [['--block-time', '50'], /^--block-time must be a duration such as 50ms or 1s, not "50"$/],
    [['--block-time', '0s'], /^--block-time/],
    [['--host', ''], /^--host/],
    [['--without', 'group,bank'], /^--without must be some of attribute, [^"]*, not "bank"$/],
  ])('%j is rejected with one line', (argv, line) => {
    const refused = () => parseFlags(argv);
    expect(refused).toThrow(FlagError);
    expect(refused).toThrow(line);
    expect(refused).not.toThrow('\n');
  });
});

async function run(...flags: string[]) {
  return spawn(process.execPath, [await builtProgram('devnet'), ...flags], { stdio: ['ignore', 'pipe', 'pipe'] });
}

describe('the command', () => {
  it('prints its address and its accounts, has block 1 at the first response, and stops on SIGTERM', async () => {
    const child = await run('--port', '0', '--block-time', '50ms');
    const lines: string[] = [];
    for await (const line of createInterface(child.stdout)) {
      lines.push(line);
      if (lines.length === 12) break;
    }
    const url = /http:\/\/127\.0\.0\.1:\d+/.exec(lines[0]!)![0];
    const { result } = (await (await fetch(`${url}/block?height=1`)).json()) as {
      result: { block: { header: { height: string } } };
    };
    expect(result.block.header.height).toBe('1');
    expect(lines[1]).toMatch(/development mnemonic.*devnet only/);
    expect(lines.slice(2).every((line) => /^ {2}\d {2}tp1[a-z0-9]{38}$/.test(line))).toBe(true);
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
  });

  it('exits with one line for an invalid flag', async () => {
    const child = await run('--nope');
    let text = '';
    child.stderr.on('data', (chunk) => {
      text += chunk;
    });
    const [code] = await once(child, 'close');
    expect(code).toBe(1);
    expect(text).toMatch(/^devnet: [^\n]+--nope[^\n]*\n$/);
  });
});
