/** A value of a cell. `text` comes from users of the chain. Null is an empty cell. */
export type Cell = { readonly text: string } | string | boolean | null;

/** Characters at the start of a cell that make a spreadsheet read it as a formula, also after it has removed white space. */
const startsFormula = /^[=+\-@\t\r\n]/;

const needsQuotes = /[",\r\n]/;

const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;

/**
 * A cell of RFC 4180. A spreadsheet must not execute what a user of the chain wrote: text of users is quoted, and it gets an apostrophe before a
 * character that begins a formula.
 */
function cellText(cell: Cell): string {
  if (cell === null) return '';
  if (typeof cell === 'boolean') return String(cell);
  if (typeof cell === 'object') {
    if (cell.text === '') return '';
    return quoted(startsFormula.test(cell.text) ? `'${cell.text}` : cell.text);
  }
  return needsQuotes.test(cell) ? quoted(cell) : cell;
}

/** A row of RFC 4180 with its line break. */
export function csvRow(cells: readonly Cell[]): string {
  return `${cells.map(cellText).join(',')}\r\n`;
}
