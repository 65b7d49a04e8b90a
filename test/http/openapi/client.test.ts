import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runsAll } from '../../support/atRandom.ts';
import { startChain, type TestChain } from '../../support/chain.ts';
import { type Stack, startStack } from '../../support/stack.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../../', import.meta.url));
const example = join(root, 'examples/client');
const packages = createRequire(import.meta.url);
/** The generator needs another version of TypeScript than the project, which is installed next to it. */
const packagesOfExample = createRequire(join(example, 'package.json'));

let chain: TestChain;
let stack: Stack;
let directory: string;

beforeAll(async () => {
  chain = await startChain();
  stack = await startStack([chain.node.url]);
  // Inside the project, so that imports of its packages resolve.
  directory = mkdtempSync(join(root, 'node_modules', '.client-'));
});

afterAll(async () => {
  rmSync(directory, { recursive: true, force: true });
  await stack.close();
  await chain.devnet.close();
});

// Outside CI it does not run: it starts two generators, the compiler and a program, which takes eight seconds.
it.runIf(runsAll)(
  'a generated client type-checks, and its requests succeed',
  async () => {
    const generator = join(packagesOfExample.resolve('openapi-typescript/package.json'), '../bin/cli.js');
    for (const name of ['application', 'node']) {
      const url = `${stack.server.url}/openapi/${name}.json`;
      await run(process.execPath, [generator, url, '-o', join(directory, `${name}.ts`)]);
    }
    cpSync(join(example, 'show.ts'), join(directory, 'show.ts'));
    const options = { extends: join(root, 'tsconfig.json'), include: ['*.ts'], compilerOptions: { lib: ['es2023', 'dom'] } };
    writeFileSync(join(directory, 'tsconfig.json'), JSON.stringify(options));
    writeFileSync(join(directory, 'package.json'), '{ "type": "module" }');
    const compiler = join(packages.resolve('typescript/package.json'), '../bin/tsc');
    await run(process.execPath, [compiler, '-p', directory]);

    const policy = 'tp1afk9zr2hn2jsac63h4hm60vl9z3e5u69gndzf7c99cqge3vzwjzserjkkf';
    const { body } = await stack.ask(`{ proposalsByGroupPolicy(address: "${policy}", first: 1) { totalCount nodes { id } } }`);
    const { totalCount, nodes } = (body.data as { proposalsByGroupPolicy: { totalCount: string; nodes: { id: string }[] } })
      .proposalsByGroupPolicy;
    const holder = chain.accounts[0]!.address;
    const held = (await (await fetch(`${stack.server.url}/v1/balances/${holder}`)).json()) as {
      items: { display: { amount: string } }[];
    };
    const { stdout } = await run(
      process.execPath,
      ['--import', 'tsx', join(directory, 'show.ts'), stack.server.url, policy, holder],
      { cwd: root },
    );
    expect(JSON.parse(stdout)).toEqual({
      id: Number(nodes[0]!.id),
      total: Number(totalCount),
      yes: '2',
      sameId: nodes[0]!.id,
      shown: held.items[0]!.display.amount,
      chain: chain.devnet.chainId,
      missing: [404, 5],
    });
  },
  180_000,
);
