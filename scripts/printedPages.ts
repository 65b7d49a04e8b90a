import { errorTable } from '../src/config/errorCodes.ts';
import { createLimits, type LimitUnit, limitEntry, limitNames, limitVariable } from '../src/config/limits/limits.ts';

/** The page of the documentation that lists the error codes, as it is committed (docs/errors.md). */
export function printErrors(): string {
  const rows = Object.entries(errorTable).map(([code, { when, action, facts = [], status }]) => {
    const fields = facts.map((name) => `\`${name}\``).join(', ');
    return `| \`${code}\` | ${when} | ${action} | ${fields} | ${status ?? ''} |`;
  });
  return `# Errors

Every failure has a stable code in \`extensions.code\` of a GraphQL error. Codes are never reused, and more may be added: treat an unknown code like
\`INTERNAL_SERVER_ERROR\`. Messages may change, so decide by the code. The further fields of \`extensions\` are listed with each code; 64-bit integers are
decimal strings. The HTTP status is that of a response in which nothing was executed; a client that accepts only \`application/json\` gets 200 in place of 400. An
operation that returns data with errors in some fields has status 200.

REST responses under \`/v1\` use the same codes. [REST](rest.md) and [the node RPC](node-rpc.md) describe the errors of the other interfaces.

<!-- Printed by \`npm run docs\` from src/config/errorCodes.ts. -->

| code | when | what to do | fields of \`extensions\` | HTTP status |
| --- | --- | --- | --- | --- |
${rows.join('\n')}
`;
}

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
