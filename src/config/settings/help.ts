import { limitPrefix } from './limitSettings.ts';
import { type Setting, settingGroups, settings } from './settings.ts';

/** Whether a command line asks for the help text. */
export function asksForHelp(argv: readonly string[]): boolean {
  return argv.includes('--help') || argv.includes('-h');
}

/** The default of a setting, as `--help` shows it. */
function defaultOf({ defaultText, absent }: Setting<unknown>): string {
  return `default: ${defaultText ?? absent ?? 'none'}`;
}

/** The lines of one setting: its flag, variable, default, purpose and value. */
function describe(setting: Setting<unknown>): readonly string[] {
  const { flag, variable, summary, expects, isSwitch, isList } = setting;
  const value = isSwitch ? `The flag has no value. The variable: ${expects}.` : `Value: ${expects}.`;
  const repeat = isList ? ' The flag may be repeated; the variable is a comma-separated list.' : '';
  return [`  --${flag}, ${variable} (${defaultOf(setting)})`, `      ${summary}`, `      ${value}${repeat}`];
}

/** The text of `--help`: every setting in its group, printed from the table that `readConfig` reads. */
export function helpText(): string {
  const all: readonly Setting<unknown>[] = Object.values(settings);
  const groups = settingGroups.map((group) => [
    `${group}:`,
    ...all.filter((setting) => setting.group === group).flatMap(describe),
    '',
  ]);
  return [
    'Usage: npm start -- [flags], or: node dist/main.js [flags]',
    '',
    'Starts Stele, a GraphQL API over a Provenance / Cosmos SDK chain. Without --node and --network, it runs over an embedded development chain.',
    'Each flag has an environment variable. The flag overrides the variable.',
    '',
    ...groups.flat(),
    'Limits:',
    `  --limit NAME=VALUE, ${limitPrefix}… (default: docs/limits.md)`,
    '      Sets one limit, such as --limit graphql.depth=12 or STELE_LIMIT_GRAPHQL_DEPTH=12.',
    '      Value: a number in the unit of the limit. The flag may be repeated; each limit has its own variable.',
    '',
    'Other:',
    '  --help     Prints this text.',
    '  --version  Prints the version.',
    '',
  ].join('\n');
}
