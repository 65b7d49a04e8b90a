/** A format of files: comma-separated values with a header row, or one JSON object on each line. */
export type FileFormat = 'csv' | 'ndjson';

/** Where a spreadsheet reads a cell as a formula, also after white space. */
const startsFormula = /^[\s\0]*[=+\-@]|^[\t\r\n]/;

const isNumber = /^-?\d+(\.\d+)?$/;

/** A cell of RFC 4180. Text that a spreadsheet would execute gets an apostrophe. */
function cellOf(text: string): string {
  const isFormula = startsFormula.test(text) && !isNumber.test(text);
  const safe = isFormula ? `'${text}` : text;
  return isFormula || /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** An element of a list in a cell: coins as the chain writes them (`5uusd`), other objects as JSON. */
function elementText(value: unknown): string {
  if (!isObject(value)) return String(value);
  const { amount, denom, ...others } = value;
  const isCoin = typeof amount === 'string' && typeof denom === 'string' && Object.keys(others).length === 0;
  return isCoin ? `${amount}${denom}` : JSON.stringify(value);
}

/** Adds the columns of a row: a member of a member is named by both (`account.address`). */
function addCells(cells: Map<string, string>, prefix: string, value: unknown): void {
  if (isObject(value))
    for (const [name, member] of Object.entries(value)) addCells(cells, prefix === '' ? name : `${prefix}.${name}`, member);
  else if (Array.isArray(value)) cells.set(prefix, value.map(elementText).join(','));
  else cells.set(prefix, value === null || value === undefined ? '' : String(value));
}

/** The text of a file with these rows. */
export function fileText(rows: readonly object[], format: FileFormat): string {
  if (format === 'ndjson') return rows.map((row) => `${JSON.stringify(row)}\n`).join('');
  const lines = rows.map((row) => {
    const cells = new Map<string, string>();
    addCells(cells, '', row);
    return cells;
  });
  const paths = [...new Set(lines.flatMap((cells) => [...cells.keys()]))];
  // An object that is null in one row has its members as columns in others.
  const names = paths.filter((name) => !paths.some((other) => other.startsWith(`${name}.`)));
  return [names, ...lines.map((cells) => names.map((name) => cells.get(name) ?? ''))]
    .map((cells) => `${cells.map(cellOf).join(',')}\r\n`)
    .join('');
}
