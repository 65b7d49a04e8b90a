import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { wrongOutput } from './readme/output.ts';
import { readLog, unannouncedFailure } from './readme/requests.ts';
import { openShell, type Shell } from './readme/shell.ts';
import { readSteps, type Step } from './readme/steps.ts';

// Runs the blocks of README.md, of packages/client/README.md and of docs/*.md in order, word for word, in a copy of the checkout, and compares their output with the output that the
// page shows. It also reads the log of the server: a request that fails must be announced by the text. The type check and the linter must pass afterwards. Pages can be named (`npm run readme -- docs/rest.md`); then only their blocks are run.
// It needs no network; with `--install` it also runs `npm ci` and the blocks that install packages.

const installs = process.argv.includes('--install');

/** A page whose blocks need the server and the token of the README begins with this. */
const needsServer = '<!-- with the server and the token of README.md -->';

/** A copy of the checkout with its packages, as a new repository. */
function copyCheckout(): string {
  const copy = mkdtempSync(join(tmpdir(), 'stele-readme-'));
  const shell = (command: string): unknown => execFileSync('bash', ['-euo', 'pipefail', '-c', command, '-', copy]);
  shell('git ls-files -co --exclude-standard -z | xargs -0 ls -d 2>/dev/null | tar -cT - | tar -xC "$1"');
  if (!installs)
    for (const packages of ['node_modules', 'examples/client/node_modules'])
      shell(`[ ! -d ${packages} ] || cp -al ${packages} "$1/${packages}" 2>/dev/null || cp -aT ${packages} "$1/${packages}"`);
  shell('cd "$1" && git init -q && git add -A');
  return copy;
}

/** Sends an operation of a page to the server of the page. Returns the response. */
async function ask(query: string): Promise<string> {
  const form = new URLSearchParams({ client_id: 'devnet', client_secret: 'devnet', grant_type: 'client_credentials' });
  const issued = await fetch('http://localhost:4000/oauth/token', { method: 'POST', body: form });
  const { access_token: token } = (await issued.json()) as { readonly access_token: string };
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  return (await fetch('http://localhost:4000/graphql', { method: 'POST', headers, body: JSON.stringify({ query }) })).text();
}

async function run(shell: Shell, step: Step & { kind: 'run' }): Promise<void> {
  const { language, text, expected } = step;
  const program = `node --input-type=module - <<'END_OF_BLOCK'\n${text}\nEND_OF_BLOCK`;
  const { status, out } =
    language === 'graphql' ? { status: 0, out: await ask(text) } : await shell.run(language === 'js' ? program : text);
  const failed = await checkLog(shell, step.announced);
  if (status !== 0 && !(status === curlHttpError && failed))
    throw new Error(`a command failed with ${status}; it printed: ${out}`);
  const wrong = wrongOutput(text, out, expected);
  if (wrong !== undefined) throw new Error(wrong);
}

/** The exit status of curl for an HTTP error status. */
const curlHttpError = 22;

/**
 * Reads what the running server has logged. Rejects if a request failed although the text does not announce it, whether or not the block has shown its
 * response. Returns whether a request failed as announced.
 */
async function checkLog(shell: Shell, announced: string): Promise<boolean> {
  const output = await shell.logged();
  const { requests, failures, others } = readLog(output);
  const wrong = unannouncedFailure(requests, announced) ?? failures[0] ?? wrongOutput('', others, undefined);
  if (wrong !== undefined) throw new Error(wrong);
  return requests.some(({ status }) => status >= 400);
}

async function take(shell: Shell, step: Step): Promise<string> {
  switch (step.kind) {
    case 'run':
      await run(shell, step);
      return `${step.at} ran`;
    case 'write': {
      const path = join(copy, step.path);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, step.text);
      return `${step.at} was written to ${step.path}`;
    }
    case 'start':
      await shell.start(step.text, step.ready);
      return `${step.at} started`;
    case 'stop':
      await checkLog(shell, '');
      await shell.stop();
      await checkLog(shell, '');
      return `${step.at} stopped`;
    case 'skip':
      return `${step.at} was not run: ${step.reason}`;
    case 'install':
      if (installs) return take(shell, step.step);
      return `${step.at} was not run: it installs packages (--install)`;
  }
}

const named = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
const docs = readdirSync('docs').flatMap((name) => (name.endsWith('.md') ? [`docs/${name}`] : []));
const pages = named.length > 0 ? named : ['README.md', 'packages/client/README.md', ...docs];
const readme = readSteps('README.md', readFileSync('README.md', 'utf8'));
/** The first steps of the README: the server, and the block that gets a token. */
const beginning = readme.slice(0, readme.findIndex(({ kind }) => kind === 'run') + 1);

/** The steps of a page, within the steps of the README that it needs. */
function stepsOf(page: string): readonly Step[] {
  const text = readFileSync(page, 'utf8');
  const steps = page === 'README.md' ? readme : readSteps(page, text);
  return text.includes(needsServer) ? [...beginning, ...steps, { kind: 'stop', at: page }] : steps;
}

const copy = copyCheckout();
try {
  for (const page of pages) {
    const shell = openShell(copy, installs);
    try {
      for (const step of stepsOf(page)) {
        const line = await take(shell, step).catch((error: Error) => {
          throw new Error(`${step.at}: ${error.message}`);
        });
        process.stdout.write(`${line}\n`);
      }
    } finally {
      shell.close();
    }
  }
  const left = execFileSync('bash', ['-c', 'git diff --name-only; git ls-files -o --exclude-standard'], { cwd: copy });
  if (left.length > 0) throw new Error(`the blocks leave in the working tree:\n${left}`);
  if (named.length === 0) execFileSync('npm', ['run', '--silent', 'check'], { cwd: copy, stdio: 'inherit' });
  process.stdout.write(`${pages.join(', ')}: every block ran\n`);
} catch (error) {
  process.stderr.write(`readme: ${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
} finally {
  rmSync(copy, { recursive: true, force: true });
}
