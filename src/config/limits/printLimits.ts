import type { LimitUnit } from './limitEntry.ts';
import { createLimits, limitEntry, limitNames, limitVariable } from './limits.ts';

const units: Readonly<Record<LimitUnit, string>> = { COUNT: '', BYTES: ' B', MILLISECONDS: ' ms', PER_MINUTE: ' a minute' };

/** The page of the documentation that lists the limits, as it is committed. */
export function printLimits(): string {
  const limits = createLimits();
  const rows = limitNames.map((name) => {
    const { unit, code, description, fixed, shown } = limitEntry(name);
    const value = shown ?? `${limits[name].toLocaleString('en-US')}${units[unit]}`;
    const variable = fixed === undefined ? `\`${limitVariable(name)}\`` : `fixed: ${fixed}`;
    return `| \`${name}\` | ${value} | ${code === null ? '' : `\`${code}\``} | ${description} | ${variable} |`;
  });
  return `# Limits

Every limit of the server with its usual value, as \`Query.limits\` tells it of a running one. An error names the limit that was passed and its
value (\`extensions.limit\`, \`extensions.max\`); where time heals it, \`Retry-After\` says when. Set one by its variable or by
\`--limit name=value\`, which can be given several times; an unknown name or a bad value stops the start.

| limit | usual value | code | what is counted | variable |
| --- | --- | --- | --- | --- |
${rows.join('\n')}
`;
}
