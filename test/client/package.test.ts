import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runsAll } from '../support/atRandom.ts';
import { startChain, type TestChain } from '../support/chain.ts';
import { type Stack, startStack } from '../support/stack.ts';

/** The most that a page may download for the package, in bytes, compressed. */
const maxBytes = 12_000;

const root = resolve('.');
let directory: string;
let project: string;
let chain: TestChain;
let stack: Stack;

/** Runs a command. Rejects with its output if it fails. */
async function run(cwd: string, command: string, ...args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(command, [...args], { cwd }).catch(({ stdout, stderr }) => {
    throw new Error(`${command} ${args.join(' ')}\n${stdout}${stderr}`);
  });
  return stdout;
}

/** Packs the package in a directory, and returns the path of the tarball. */
async function pack(cwd: string, ...args: readonly string[]): Promise<string> {
  const printed = await run(cwd, 'npm', 'pack', '--silent', '--pack-destination', directory, ...args);
  return join(directory, printed.trim());
}

/** A copy of the package without its build, because another test may build it at the same time. */
function copyPackage(): string {
  const [from, checkout] = [join(root, 'packages/client'), join(directory, 'checkout')];
  const copy = join(checkout, 'packages/client');
  cpSync(from, copy, { recursive: true, filter: (path) => path !== join(from, 'dist') });
  cpSync(join(root, 'tsconfig.json'), join(checkout, 'tsconfig.json'));
  writeFileSync(join(checkout, 'package.json'), '{ "private": true, "type": "module" }');
  for (const script of ['buildClient.js', 'place.js']) cpSync(join(root, 'scripts', script), join(checkout, 'scripts', script));
  symlinkSync(join(root, 'node_modules'), join(checkout, 'node_modules'));
  return copy;
}

const page = `import { createClient, type Result, SteleError } from '@stele/client';

const client = createClient({ url: '/graphql', token: async () => 'token' });
const height = async (): Promise<string | undefined> => {
  const { data }: Result<{ head: { height: string } }> = await client.query('{ head { height } }');
  return data.head.height;
};
height().then(
  (text) => document.body.append(text ?? ''),
  (error) => document.body.append(error instanceof SteleError ? error.code : 'failed'),
);
`;

const script = `import { createClient } from '@stele/client';
const client = createClient({ url: process.argv[2] });
const { data } = await client.query('{ head { height } }');
process.stdout.write(JSON.stringify(data));
`;

const commonScript = `const { createClient } = require('@stele/client');
const { msgVote } = require('@stele/client/sign');
createClient({ url: process.argv[2] }).query('{ head { height } }').then(({ data }) => {
  const { typeUrl } = msgVote({ voter: 'tp1', proposalId: data.head.height, option: 'VOTE_OPTION_YES' });
  process.stdout.write(typeUrl);
});
`;

const compilerOptions = {
  ...{ target: 'es2022', lib: ['es2023', 'dom'], module: 'esnext', moduleResolution: 'bundler', types: [] },
  ...{ strict: true, noEmit: true },
};

// They pack, install and build, which takes ten seconds. The other tests of this folder use the sources of the package.
describe.runIf(runsAll)('the package as a project installs it', () => {
  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'stele-client-package-'));
    project = join(directory, 'project');
    chain = await startChain({ bare: true });
    stack = await startStack([chain.node.url]);
    await stack.client.head.ready();
    mkdirSync(project);
    const files = {
      'package.json': '{ "private": true, "type": "module" }',
      'index.html': '<!doctype html><script type="module" src="/page.ts"></script>',
      'page.ts': page,
      'script.js': script,
      'script.cjs': commonScript,
      'tsconfig.json': JSON.stringify({ compilerOptions, include: ['page.ts'] }),
    };
    for (const [name, text] of Object.entries(files)) writeFileSync(join(project, name), text);
    // Its dependencies, and those of its dependencies, are packed from the installed packages, because tests have no network.
    const installed = ['graphql-ws', 'graphql', '@bufbuild/protobuf', '@noble/curves', '@noble/hashes'];
    const tarballs = await Promise.all([
      pack(copyPackage()),
      ...installed.map((name) => pack(join(root, 'node_modules', name), '--ignore-scripts')),
    ]);
    await run(project, 'npm', 'install', '--offline', '--no-audit', '--no-fund', ...tarballs);
  });

  afterAll(async () => {
    rmSync(directory, { recursive: true, force: true });
    await stack.close();
    await chain.devnet.close();
  });

  it('the tarball has the build, the README and nothing else', () => {
    const installed = join(project, 'node_modules/@stele/client');
    expect(readdirSync(installed).toSorted()).toEqual(['README.md', 'dist', 'package.json']);
    const { dependencies, exports } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
    expect(Object.keys(dependencies)).toEqual(['@bufbuild/protobuf', '@noble/curves', 'graphql-ws']);
    const { './package.json': _, ...modules } = exports;
    for (const path of Object.values<Record<string, string>>(modules).flatMap((each) => Object.values(each))) {
      expect(readFileSync(join(installed, path), 'utf8')).not.toMatch(/from '\.[^']*\.ts'/);
      expect(readFileSync(join(installed, path.replace(/js$/, 'd.ts')), 'utf8')).not.toBe('');
    }
  });

  it('an empty Vite project that installs the tarball type-checks and builds, without graphql-js', async () => {
    await run(project, process.execPath, join(root, 'node_modules/typescript/bin/tsc'));
    await run(project, process.execPath, join(root, 'node_modules/vite/bin/vite.js'), 'build');
    const [bundle] = readdirSync(join(project, 'dist/assets'));
    const text = readFileSync(join(project, 'dist/assets', bundle!), 'utf8');
    expect(text).toContain('graphql-transport-ws');
    expect(text).not.toContain('Syntax Error');
    expect(gzipSync(text).length).toBeLessThan(maxBytes);
  });

  it('a program of Node.js that installs the tarball reads the height', async () => {
    const printed = await run(project, process.execPath, 'script.js', `${stack.server.url}/graphql`);
    expect(JSON.parse(printed)).toEqual({ head: { height: chain.devnet.height.toString() } });
    const required = await run(project, process.execPath, 'script.cjs', `${stack.server.url}/graphql`);
    expect(required).toBe('/cosmos.group.v1.MsgVote');
  });

  it(`a bundle of the whole package has at most ${maxBytes} bytes, and only graphql-ws beside it`, async () => {
    const { outputFiles, metafile } = await build({
      stdin: { contents: `export * from '@stele/client'`, resolveDir: project },
      ...{ bundle: true, minify: true, format: 'esm', platform: 'browser', write: false, metafile: true },
    });
    expect(gzipSync(outputFiles[0]!.contents).length).toBeLessThan(maxBytes);
    const packages = Object.keys(metafile.inputs).map((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1]);
    expect(new Set(packages.filter((name) => name !== undefined))).toEqual(new Set(['@stele/client', 'graphql-ws']));
  });
});
