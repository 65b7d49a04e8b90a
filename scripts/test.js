import { spawn } from 'node:child_process';

// `npm test`: the checks (types, style, layers, schema) beside the tests, so that both cores of a small machine have work. Arguments go to vitest. The
// output of the checks is printed when they end. The exit code is 1 if the checks or the tests fail.

/**
 * Runs a command of node_modules/.bin or npm. Resolves with its exit code and, if it is not inherited, its output.
 *
 * @param {string} command
 * @param {string[]} args
 * @param {'inherit' | 'pipe'} stdio
 * @returns {Promise<{ code: number, output: string }>}
 */
function run(command, args, stdio) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: ['inherit', stdio, stdio], shell: process.platform === 'win32' });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (output += chunk));
    child.once('error', reject);
    child.once('close', (code) => resolve({ code: code ?? 1, output }));
  });
}

const tests = run('npx', ['vitest', 'run', ...process.argv.slice(2)], 'inherit');
const checks = await run('npm', ['run', '--silent', 'check'], 'pipe');
process.stdout.write(checks.output);
const { code } = await tests;
if (checks.code !== 0) process.stderr.write('npm run check failed: its output is above\n');
process.exitCode = checks.code === 0 && code === 0 ? 0 : 1;
