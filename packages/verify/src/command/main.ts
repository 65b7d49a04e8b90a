/// <reference types="node" />
import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { blocksOf } from './blocks.ts';
import { type Report, reportOf } from './report.ts';

const usage = `stele-verify FILE [--trust HEIGHT:HASH] [--node URL]

Verifies an answer that carries its proof, field by field. FILE is the answer as JSON, as it came, with what was asked in one more member:
"request": { "query": …, "variables": … }. - reads the answer from the standard input.

--trust HEIGHT:HASH  The height and the hash of a block that you believe, from a source of your own. Without it, the answer is compared with
                     the validators that it names itself.
--node URL           The RPC of any node. It is asked for the blocks between the trusted one and that of the proof. Nothing that it returns is
                     believed without a proof.

Exits with 1 and the name of the field if anything is wrong, with 2 if the file cannot be read.`;

async function report(): Promise<Report> {
  const { values, positionals } = parseArgs({
    options: { trust: { type: 'string' }, node: { type: 'string' }, help: { type: 'boolean' } },
    allowPositionals: true,
  });
  const [file, ...others] = positionals;
  if (values.help === true) return { lines: [usage], exitCode: 0 };
  if (file === undefined || others.length > 0) return { lines: [usage], exitCode: 2 };
  const [, height, hash] = /^(\d{1,19}):([0-9a-fA-F]{64})$/.exec(values.trust ?? '') ?? [];
  if (values.trust !== undefined && hash === undefined)
    return { lines: ['--trust takes a height and a hash of 64 hexadecimal digits, such as 1204551:5DB5…'], exitCode: 2 };
  return reportOf(file === '-' ? await text(process.stdin) : await readFile(file, 'utf8'), {
    ...(height !== undefined && hash !== undefined && { trust: { height, hash } }),
    ...(values.node !== undefined && { read: blocksOf(values.node) }),
  });
}

const { lines, exitCode } = await report().catch(
  (error: unknown): Report => ({ lines: [error instanceof Error ? error.message : String(error)], exitCode: 2 }),
);
process[exitCode === 0 ? 'stdout' : 'stderr'].write(`${lines.join('\n')}\n`);
process.exitCode = exitCode;
