import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { expect, it } from 'vitest';
import { readSteps } from '../scripts/readme/steps.ts';

const steps = readSteps('docs/tutorial.md', readFileSync('docs/tutorial.md', 'utf8'));
const read = (path: string): string => readFileSync(path, 'utf8');

it('docs/tutorial.md shows each file of examples/board, or copies it, and nothing else', () => {
  const written = steps.flatMap((step) =>
    step.kind === 'write' ? [{ ...step, path: step.path.replace(/^board\//, '') }] : [],
  );
  const shown = new Set(written.map(({ path }) => path));
  for (const { path, text } of written) expect([path, text]).toEqual([path, read(`examples/board/${path}`)]);
  const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '.'], {
    cwd: 'examples/board',
    encoding: 'utf8',
  });
  const copied = files
    .trim()
    .split('\n')
    .filter((path) => existsSync(`examples/board/${path}`) && !shown.has(path));
  expect(copied.toSorted()).toEqual(['schema.graphql', 'src/style.css']);
  const commands = steps.flatMap((step) => (step.kind === 'run' ? [step.text] : [])).join('\n');
  for (const path of copied) expect(commands).toMatch(new RegExp(`(cp \\.\\./\\S*|-o .*)\\b${path.split('/').at(-1)}`));
});

it('the schema of examples/board is that of the repository', () => {
  expect(realpathSync('examples/board/schema.graphql')).toBe(realpathSync('schema/schema.graphql'));
});
