import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';

it('the types of examples/transfer.js are those of its libraries', () => {
  const flags =
    '--ignoreConfig --noEmit --allowJs --checkJs --strict --skipLibCheck --target es2022 --module nodenext --types node';
  let output = '';
  try {
    execFileSync('npx', ['tsc', ...flags.split(' '), 'examples/transfer.js'], { encoding: 'utf8', stdio: 'pipe' });
  } catch (error) {
    output = error instanceof Error && 'stdout' in error ? String(error.stdout) : String(error);
  }
  expect(output).toBe('');
});
