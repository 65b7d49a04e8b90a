import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

/** The shell of a reader. Blocks share its variables. */
export interface Shell {
  /** Runs commands to their end. Returns the exit status of the last one that failed, 0 if none did, and their standard output. */
  run(text: string): Promise<{ readonly status: number; readonly out: string }>;
  /**
   * Starts commands that run until `stop`. Resolves when they have printed `ready`, or that a server is up. Rejects if they
   * exit.
   */
  start(text: string, ready: string | undefined): Promise<void>;
  /** Stops the commands that were started last, like Ctrl-C. */
  stop(): Promise<void>;
  /**
   * The lines that the started commands have printed since the last call. Waits until the server has logged all requests that had ended before
   * the call.
   */
  logged(): Promise<string>;
  /** Stops all commands. */
  close(): void;
}

/** How long commands may take to exit or to become ready, in ms. */
const patience = 180_000;

/** Output of a server that is up, or of a stream with its first event. */
const isUp = /\bis up\b|^Chain .* at http|^data: /m;

/** The address that a server prints when it is up. */
const address = /^Stele is up in \d+ ms: (http:\S+)\/graphql$/gm;

/**
 * An HTTP error status is a failure of curl (22). A command of a pipeline that fails is a failure of the pipeline, but not one whose reader ends first (SIGPIPE, as with `head`). `npm ci` is skipped if
 * the packages are installed.
 */
const helpers = (installs: boolean): string => `
set -o pipefail
curl() { command curl --fail-with-body "$@"; }
failed_with() { [ "$1" = 141 ] || failed=$1; }
${installs ? '' : 'npm() { if [ "$*" = ci ]; then echo "packages are installed" >&2; else command npm "$@"; fi; }'}
`;

/** Opens a shell in a directory. `installs`: whether `npm ci` is executed. */
export function openShell(directory: string, installs: boolean): Shell {
  const files = mkdtempSync(join(tmpdir(), 'stele-readme-shell-'));
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('STELE_')));
  const shell = spawn('bash', ['--norc', '-s'], { cwd: directory, env, stdio: ['pipe', 'pipe', 'inherit'], detached: true });
  const running: { readonly pid: number; readonly output: string; read: number }[] = [];
  /** Output of commands that have been stopped, not read by {@link Shell.logged} yet. */
  let stopped = '';
  let printed = '';
  shell.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    printed += chunk;
  });
  shell.stdin.write(helpers(installs));

  async function until<T>(what: string, look: () => T | undefined): Promise<T> {
    for (const begun = performance.now(); performance.now() - begun < patience; await pause(50)) {
      const found = look();
      if (found !== undefined) return found;
      if (shell.exitCode !== null) throw new Error(`the shell ended with ${shell.exitCode}`);
    }
    throw new Error(`${what} within ${patience} ms`);
  }

  function fileOf(text: string): string {
    const file = join(files, randomUUID());
    writeFileSync(file, text);
    return file;
  }

  /**
   * Writes commands to the shell and waits for the line with the marker that the last of them prints. Returns the text after
   * the marker.
   */
  async function ask(commands: (marker: string) => string): Promise<{ readonly before: string; readonly after: string }> {
    const marker = randomUUID();
    printed = '';
    shell.stdin.write(`${commands(marker)}\n`);
    return until('the commands did not end', () => {
      const [, before, after] = new RegExp(`^([^]*)${marker} (.*)\n`).exec(printed) ?? [];
      return before === undefined || after === undefined ? undefined : { before, after };
    });
  }

  const isAlive = (pid: number): boolean => {
    try {
      return process.kill(-pid, 0);
    } catch {
      return false;
    }
  };

  return {
    async run(text) {
      const file = fileOf(text);
      const { before, after } = await ask(
        (marker) => `failed=0; trap 'failed_with $?' ERR; . ${file} < /dev/null; trap - ERR; echo "${marker} $failed"`,
      );
      return { status: Number(after), out: before };
    },
    async start(text, ready) {
      const output = fileOf('');
      const { after } = await ask(
        (marker) => `set -m; ( . ${fileOf(text)} ) < /dev/null > ${output} 2>&1 & disown; set +m; echo "${marker} $!"`,
      );
      const pid = Number(after);
      running.push({ pid, output, read: 0 });
      await until('it was not ready', () => {
        const said = readFileSync(output, 'utf8');
        if (ready === undefined ? isUp.test(said) : said.includes(ready)) return true;
        if (!isAlive(pid)) throw new Error(`it exited: ${said}`);
        return undefined;
      });
    },
    async stop() {
      const last = running.pop();
      if (last === undefined) throw new Error('no command is running');
      if (!isAlive(last.pid)) throw new Error(`it had exited: ${readFileSync(last.output, 'utf8')}`);
      process.kill(-last.pid, 'SIGINT');
      await until('it did not stop', () => !isAlive(last.pid) || undefined);
      stopped += readFileSync(last.output, 'utf8').slice(last.read);
    },
    async logged() {
      for (const { output } of running) {
        const url = [...readFileSync(output, 'utf8').matchAll(address)].at(-1)?.[1];
        if (url === undefined) continue;
        const requestId = randomUUID();
        await fetch(`${url}/.well-known/jwks.json`, { headers: { 'x-request-id': requestId } });
        await until('the server did not log a request', () => readFileSync(output, 'utf8').includes(requestId) || undefined);
      }
      const texts = running.map((each) => {
        const text = readFileSync(each.output, 'utf8').slice(each.read);
        each.read += text.length;
        return text;
      });
      const all = [stopped, ...texts].join('\n');
      stopped = '';
      return all;
    },
    close() {
      for (const pid of [...running.map((each) => each.pid), shell.pid ?? 0])
        if (pid > 0 && isAlive(pid)) process.kill(-pid, 'SIGKILL');
      rmSync(files, { recursive: true });
    },
  };
}
