/** Parses RFC 4180. Throws if the text does not end with a line break or a quote is open. */
export function parseCsv(text: string): readonly (readonly string[])[] {
  const rows: string[][] = [];
  let row: string[] = [];
  const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/y;
  while (cell.lastIndex < text.length) {
    const at = cell.lastIndex;
    const match = cell.exec(text);
    if (match === null) throw new Error(`no CSV at ${at}: ${text.slice(at, at + 40)}`);
    row.push(match[1]?.replaceAll('""', '"') ?? match[2]!);
    if (match[3] !== ',') {
      rows.push(row);
      row = [];
    }
  }
  return rows;
}

/** The rows by the names in the header row. */
export function csvObjects(text: string): readonly Readonly<Record<string, string>>[] {
  const [header = [], ...rows] = parseCsv(text);
  return rows.map((row) => Object.fromEntries(header.map((name, index) => [name, row[index]!])));
}
