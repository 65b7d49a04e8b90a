import { parseArgs } from 'node:util';
import { measureTable } from './stores/table.ts';

const usage = `Usage: npm run --silent stores -- --node URL > table.json

Measures which stores the answers of a chain depend on, and prints the table for --stores (docs/stores.md). What it does is written to stderr.

  --node URL     RPC address of a node that keeps the state of these heights
  --blocks N     the number of newest heights that are compared: 100
  --measured     adds methods that the table of Stele does not have. Such a row can be wrong: read the code of the method first
  --help         prints this text
`;

try {
  const { values } = parseArgs({
    options: {
      node: { type: 'string' },
      blocks: { type: 'string', default: '100' },
      measured: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h' },
    },
  });
  const blocks = /^\d{1,5}$/.test(values.blocks) ? Number(values.blocks) : 0;
  if (values.help) process.stdout.write(usage);
  else if (values.node === undefined) throw new Error('--node is missing');
  else if (blocks < 20) throw new Error('--blocks must be a number from 20 to 99999');
  else {
    const table = await measureTable(values.node, { blocks, isMeasured: values.measured }, (line) =>
      process.stderr.write(`stores: ${line}\n`),
    );
    process.stdout.write(`${JSON.stringify(table, undefined, 2)}\n`);
    process.stderr.write(`stores: ${Math.round(performance.now() / 1000)} s\n`);
  }
} catch (error) {
  console.error(`stores: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
