import type { LimitUnit } from './limitEntry.ts';
import { createLimits, limitEntry, limitNames, limitVariable } from './limits.ts';

const units: Readonly<Record<LimitUnit, string>> = { COUNT: '', BYTES: ' B', MILLISECONDS: ' ms', PER_MINUTE: ' a minute' };

/** The text of docs/limits.md. */
export function printLimits(): string {
  const limits = createLimits();
  const rows = limitNames.map((name) => {
    const { unit, code, description, fixed, shown } = limitEntry(name);
    const value = shown ?? `${limits[name].toLocaleString('en-US')}${units[unit]}`;
    const variable = fixed === undefined ? `\`${limitVariable(name)}\`` : `fixed: ${fixed}`;
    return `| \`${name}\` | ${value} | ${code === null ? '' : `\`${code}\``} | ${description} | ${variable} |`;
  });
  return `# Limits

Every limit of the server with its default. \`Query.limits\` returns the limits in force. An error names the limit and its value in
\`extensions.limit\` and \`extensions.max\`. If retrying later can succeed, \`Retry-After\` says when. To set a limit, use its environment variable or
\`--limit NAME=VALUE\`, which may be repeated. The server does not start with an unknown name or an invalid value.

| limit | default | code | what is limited | variable |
| --- | --- | --- | --- | --- |
${rows.join('\n')}
`;
}
