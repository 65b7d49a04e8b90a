import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { runsAll } from '../support/atRandom.ts';

const run = promisify(execFile);

// It builds and packs, which takes seconds.
it.runIf(runsAll)('the package, without any other file, starts a chain that makes blocks', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'stele-devnet-package-'));
  try {
    const pack = ['pack', '--silent', '--pack-destination', directory, '--workspace', '@stele/devnet'];
    const { stdout } = await run('npm', pack, { cwd: resolve('.') });
    await run('tar', ['-xzf', join(directory, stdout.trim()), '-C', directory]);
    const program = join(directory, 'package/dist/devnet.js');
    const child = spawn(process.execPath, [program, '--port', '0', '--block-time', '50ms'], { cwd: directory });
    const exited = once(child, 'exit');
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const [, url] = / at (http:\S+)/.exec((await lines.next()).value ?? '') ?? [];
    const height = async (): Promise<number> => {
      const status = (await (await fetch(`${url}/status`)).json()) as {
        result: { sync_info: { latest_block_height: string } };
      };
      return Number(status.result.sync_info.latest_block_height);
    };
    await expect.poll(height).toBeGreaterThan(2);
    child.kill();
    await exited;
  } finally {
    rmSync(directory, { recursive: true });
  }
});
