import type { Row } from './measure.ts';

/** Returns a number with three significant digits, all digits before the point, and at most three behind it. */
function digits(value: number): string {
  if (value >= 100) return value.toFixed(0);
  return value < 0.01 ? value.toFixed(3) : value.toPrecision(3);
}

/** Returns the lines of a table: the first column is aligned to the left, the others to the right. */
export function tableLines(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('   '),
  );
}

/** Prints the results of all loads. The first is the baseline. */
export function printRows(rows: readonly Row[]): void {
  const [baseline] = rows;
  const cells = rows.map(({ name, cached, perSecond, p50, cpu, nodeCpu, calls }) => [
    name,
    digits(perSecond),
    String(p50),
    digits(cpu),
    (cpu / (baseline?.cpu ?? cpu)).toFixed(1),
    digits(nodeCpu),
    calls.toFixed(1),
    cached,
  ]);
  const head = ['', 'req/s', 'p50 ms', 'CPU ms/req', 'times bare', 'CPU ms of the node', 'calls at the node', 'cached'];
  console.log(`\n${tableLines([head, ...cells]).join('\n')}`);
}
