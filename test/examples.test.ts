import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { runsAll } from './support/atRandom.ts';

const directory = mkdtempSync(join(tmpdir(), 'stele-examples-'));

afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** What the compiler prints for these flags and files. */
function errorsOf(flags: string, ...files: readonly string[]): string {
  try {
    execFileSync('npx', ['tsc', '--ignoreConfig', '--noEmit', '--strict', '--skipLibCheck', ...flags.split(' '), ...files], {
      encoding: 'utf8',
      stdio: 'pipe',
    });
    return '';
  } catch (error) {
    return error instanceof Error && 'stdout' in error ? String(error.stdout) : String(error);
  }
}

it('the types of examples/transfer.js are those of its libraries', () => {
  expect(errorsOf('--allowJs --checkJs --target es2022 --module nodenext --types node', 'examples/transfer.js')).toBe('');
});

it.runIf(runsAll)('the code that is generated for the tutorial compiles under nodenext', () => {
  for (const path of ['src/board.graphql', 'codegen.yml']) cpSync(join('examples/board', path), join(directory, path));
  cpSync('schema/schema.graphql', join(directory, 'schema.graphql'));
  writeFileSync(join(directory, 'package.json'), '{ "type": "module" }');
  symlinkSync(resolve('node_modules'), join(directory, 'node_modules'));
  execFileSync('npx', ['graphql-codegen', '--config', 'codegen.yml', '--silent'], { cwd: directory, stdio: 'pipe' });
  const files = ['gql.ts', 'graphql.ts', 'index.ts'].map((name) => join(directory, 'src/gen', name));
  expect(errorsOf('--target es2023 --module nodenext --verbatimModuleSyntax --types node', ...files)).toBe('');
});
