import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { createDescriptorPool } from '../../src/chain/descriptors/descriptorPool.ts';
import { isQueryService } from '../../src/chain/simulation/execution.ts';
import { type ChainTypes, readChain } from '../chainSchema.ts';
import { findBreaks, printBreaks } from './breaks.ts';
import { readDocuments } from './documents.ts';

const usage = `Usage: npm run upgrade -- --node URL --to FILE|URL [--documents PATH]...

Prints what the descriptors of the next binary of a chain break: coordinates of the schema, and documents. Exits with 1 if anything breaks, with 0 if nothing
does, and with 2 if the comparison could not be made.

  --node URL        RPC address of a node of the chain
  --to FILE|URL     what the next binary describes: a file of descriptors (a FileDescriptorSet or a buf image, gzipped or not), or a node that runs it
  --documents PATH  a file or folder of documents (.graphql, .gql), or a file of trusted documents (.json); can be repeated
  --help            prints this text
`;

const isUrl = (text: string): boolean => /^https?:\/\//.test(text);

/** Reads a file of descriptors, with all query services that they describe. */
async function readFile(path: string): Promise<ChainTypes> {
  const bytes = readFileSync(path);
  const isGzipped = bytes[0] === 0x1f && bytes[1] === 0x8b;
  try {
    const pool = createDescriptorPool(isGzipped ? gunzipSync(bytes) : bytes);
    await pool.check();
    return { pool, services: pool.services.filter(isQueryService) };
  } catch (error) {
    const why = error instanceof Error ? error.message.replace(/^Invalid response of the node: /, '') : String(error);
    throw new Error(`${path} is no file of descriptors: ${why}`);
  }
}

/** A file cannot say what is served: what the chain describes and does not serve today, it is taken not to serve after the upgrade. */
async function readNext(to: string, { pool, services }: ChainTypes): Promise<ChainTypes> {
  if (isUrl(to)) return readChain(to);
  const next = await readFile(to);
  const isAbsent = (name: string): boolean => pool.service(name) !== undefined && !services.includes(name);
  return { pool: next.pool, services: next.services.filter((name) => !isAbsent(name)) };
}

/** What the command prints, and its exit code. */
interface Outcome {
  readonly exitCode: 0 | 1 | 2;
  readonly output: string;
}

async function compare(args: readonly string[]): Promise<Outcome> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      node: { type: 'string' },
      to: { type: 'string' },
      documents: { type: 'string', multiple: true, default: [] },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help) return { exitCode: 0, output: usage };
  if (values.node === undefined || values.to === undefined) throw new Error('--node and --to are required. See --help.');
  const documents = values.documents.flatMap(readDocuments);
  const before = await readChain(values.node);
  const breaks = await findBreaks(before, await readNext(values.to, before), documents);
  const isBroken = breaks.coordinates.length + breaks.documents.length > 0;
  return { exitCode: isBroken ? 1 : 0, output: printBreaks(breaks, documents.length) };
}

/** Runs `npm run upgrade` with these arguments. Never rejects. */
export async function runUpgrade(args: readonly string[]): Promise<Outcome> {
  try {
    return await compare(args);
  } catch (error) {
    return { exitCode: 2, output: `upgrade: ${error instanceof Error ? error.message : String(error)}\n` };
  }
}
