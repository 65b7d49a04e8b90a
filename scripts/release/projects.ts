import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Tarball } from './pack.ts';

/** A new project, and what its user does after the installation. */
interface Project {
  /** Its folder in `projects`. */
  readonly name: string;
  /** Commands of its packages, with what the last one must print. */
  readonly commands: readonly string[];
  readonly prints?: RegExp;
  /** The script that starts it, for a project that serves pages, and what its page must contain. */
  readonly page?: RegExp;
}

const result = /^height \d+, \/cosmos\.group\.v1\.MsgVote, function\n$/;

const projects: readonly Project[] = [
  { name: 'node', commands: ['tsc', 'node out/main.js'], prints: result },
  { name: 'commonjs', commands: ['tsc', 'node out/main.js'], prints: result },
  { name: 'deno', commands: ['deno check main.ts', 'deno run --allow-all main.ts'], prints: result },
  { name: 'bun', commands: ['tsc', 'bun main.ts'], prints: result },
  { name: 'vite', commands: ['tsc', 'vite build'], prints: /built in/ },
  { name: 'next', commands: ['next build'], prints: /\/$|\(Dynamic\)/m, page: /<h1>Block \d+<\/h1>/ },
];

/** A port that is free now. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (typeof address !== 'object' || address === null) throw new Error('there is no free port');
  return address.port;
}

/** Reads a URL until it answers with status 200. Rejects when the process ends. */
async function textAt(url: string, program: ChildProcess): Promise<string> {
  while (program.exitCode === null) {
    const response = await fetch(url).catch(() => undefined);
    if (response?.ok === true) return response.text();
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error(`the program that serves ${url} ended with ${program.exitCode}`);
}

/** Creates a project in a directory and installs the packages in it. */
async function install(directory: string, tarballs: readonly Tarball[], name?: string): Promise<void> {
  if (name !== undefined) cpSync(new URL(`projects/${name}`, import.meta.url), directory, { recursive: true });
  else {
    mkdirSync(directory, { recursive: true });
    writeFileSync(join(directory, 'package.json'), '{ "private": true }');
  }
  await run(directory, ['npm', 'install', '--no-audit', '--no-fund', ...tarballs.map(({ path }) => path)], {});
}

/** Runs a command. Rejects with its output if it fails. */
async function run(cwd: string, [command = '', ...args]: readonly string[], env: NodeJS.ProcessEnv): Promise<string> {
  const options = { cwd, env: { ...process.env, NODE_ENV: undefined, ...env }, maxBuffer: 2 ** 26 };
  const { stdout } = await promisify(execFile)(command, [...args], options).catch(({ message, stdout: text, stderr }) => {
    throw new Error(`${message}\n${text}${stderr}`);
  });
  return stdout;
}

function start(cwd: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): ChildProcess {
  return spawn('node_modules/.bin/'.concat(args[0] ?? ''), args.slice(1), {
    cwd,
    env: { ...process.env, ...env },
    stdio: 'ignore',
  });
}

/**
 * Installs the packages in new projects, as a user does: starts `npx stele`, and type-checks, builds and runs each project against it. Needs the npm registry.
 * `only` chooses projects by name. Throws with the output of what failed.
 */
export async function tryProjects(
  tarballs: readonly Tarball[],
  print: (line: string) => void,
  only: readonly string[] = projects.map(({ name }) => name),
): Promise<void> {
  const root = mkdtempSync(join(tmpdir(), 'stele-release-'));
  const programs: ChildProcess[] = [];
  const named = (name: string): Tarball[] => tarballs.filter((each) => each.name === name);
  try {
    const server = join(root, 'server');
    await install(server, [...named('stele'), ...named('@stele/devnet')]);
    for (const program of ['stele', 'stele-client', 'stele-archive', 'stele-devnet'])
      if (!/^Usage: /.test(await run(server, [`node_modules/.bin/${program}`, '--help'], {})))
        throw new Error(`${program} --help`);
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const stele = start(server, ['stele', '--public', 'read', '--port', `${port}`, '--admin-port', '0']);
    programs.push(stele);
    const page = await textAt(`${url}/dashboard/`, stele);
    print(`stele: installed, serves its dashboard (${page.length} characters), as do its four programs their help`);
    for (const { name, commands, prints, page: expected } of projects.filter((each) => only.includes(each.name))) {
      const directory = join(root, name);
      await install(directory, [...named('@stele/client'), ...named('@stele/verify')], name);
      const env = {
        STELE_URL: url,
        NEXT_PUBLIC_STELE_URL: url,
        PATH: `${join(directory, 'node_modules/.bin')}:${process.env.PATH}`,
      };
      let output = '';
      for (const command of commands) output = await run(directory, command.split(' '), env);
      if (prints?.test(output) === false) throw new Error(`${name} printed ${output}`);
      print(`${name}: installed, ${commands.join(', ')}: ${output.trim().split('\n').at(-1)}`);
      if (expected === undefined) continue;
      const own = await freePort();
      const site = start(directory, ['next', 'start', '--port', `${own}`], env);
      programs.push(site);
      const html = await textAt(`http://127.0.0.1:${own}/`, site);
      if (!expected.test(html)) throw new Error(`the page of ${name} is ${html}`);
      print(`${name}: its page has ${expected.exec(html)?.[0]} before any script runs`);
    }
  } finally {
    for (const program of programs) program.kill();
    rmSync(root, { recursive: true, force: true });
  }
}
