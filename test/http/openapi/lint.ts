import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A finding of a linter: its rule, severity, position and message. */
export interface Finding {
  readonly rule: string;
  readonly isError: boolean;
  readonly place: string;
  readonly message: string;
}

/** Runs Spectral with its recommended rules for OpenAPI. */
export async function spectral(text: string): Promise<readonly Finding[]> {
  // Loading it takes seconds.
  const [{ default: spectralCore }, { default: spectralRulesets }] = await Promise.all([
    import('@stoplight/spectral-core'),
    import('@stoplight/spectral-rulesets'),
  ]);
  const linter = new spectralCore.Spectral();
  linter.setRuleset({ extends: [[spectralRulesets.oas, 'recommended']], rules: {} } as never);
  const found = await linter.run(text);
  return found.map(({ code, severity, path, message }) => ({
    rule: String(code),
    isError: severity === 0,
    place: path.join(' '),
    message,
  }));
}

interface RedoclyProblem {
  readonly ruleId: string;
  readonly severity: 'error' | 'warn';
  readonly message: string;
  readonly location: readonly { readonly pointer?: string }[];
}

/** Runs Redocly's command with its recommended rules. */
export async function redocly(text: string): Promise<readonly Finding[]> {
  const directory = mkdtempSync(join(tmpdir(), 'stele-openapi-'));
  try {
    const file = join(directory, 'description.json');
    writeFileSync(file, text);
    writeFileSync(join(directory, 'redocly.yaml'), 'extends: [recommended]\ntelemetry: off\n');
    const bin = join(createRequire(import.meta.url).resolve('@redocly/cli/package.json'), '../bin/cli.js');
    const args = [bin, 'lint', file, '--config', join(directory, 'redocly.yaml'), '--format', 'json', '--max-problems', '1000'];
    // It exits with 1 if there are errors. The output contains them as well.
    const out = await new Promise<string>((resolve) => {
      const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
      execFile(process.execPath, args, { env, maxBuffer: 64e6, cwd: directory }, (_, stdout, stderr) =>
        resolve(stdout || stderr),
      );
    });
    const { problems } = JSON.parse(out.slice(out.indexOf('{'))) as { problems: readonly RedoclyProblem[] };
    return problems.map(({ ruleId, severity, message, location }) => ({
      rule: ruleId,
      isError: severity === 'error',
      place: location[0]?.pointer ?? '',
      message,
    }));
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
