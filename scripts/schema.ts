import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { buildSchema } from 'graphql';
import { schemaText } from '../src/graphql/schema.ts';
import { printAminoRules } from './aminoRules.ts';
import { printChainSchema, readChain, recordedChain } from './chainSchema.ts';
import { clientErrorCodes } from './clientErrorCodes.ts';
import { printPlaygroundExamples } from './playgroundExamples.ts';

const usage = `Usage: npm run schema [-- --node URL]

Writes the files that are generated from the schema. With --node, prints the schema with the types of a chain instead, and writes nothing.

  --node URL   RPC address of a node of the chain
  --help       prints this text
`;

const inProject = (path: string): URL => new URL(`../${path}`, import.meta.url);

/** Writes every file that is generated from the schema. */
function writeAll(): void {
  const text = schemaText();
  writeFileSync(inProject('schema/schema.graphql'), text);
  const descriptors = gunzipSync(readFileSync(inProject('test/recordings/descriptors.binpb.gz')));
  const chain = recordedChain(descriptors);
  writeFileSync(inProject('schema/chains/provenance-1.29.graphql'), printChainSchema(chain));
  writeFileSync(inProject('packages/client/src/gen/aminoRules.ts'), printAminoRules(chain.pool));
  writeFileSync(inProject('dashboard/playground/gen/examples.ts'), printPlaygroundExamples());
  writeFileSync(inProject('packages/client/src/gen/errorCode.ts'), clientErrorCodes(buildSchema(text, { assumeValid: true })));
  for (const config of ['codegen.yml', 'dashboard/codegen.yml'])
    execFileSync('graphql-codegen', ['--config', config, '--silent'], { stdio: 'inherit' });
}

try {
  const { values } = parseArgs({ options: { node: { type: 'string' }, help: { type: 'boolean', short: 'h' } } });
  if (values.help) process.stdout.write(usage);
  else if (values.node === undefined) writeAll();
  else process.stdout.write(printChainSchema(await readChain(values.node)));
} catch (error) {
  console.error(`schema: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
