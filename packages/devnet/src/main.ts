#!/usr/bin/env node
import { createDevnet, type Devnet } from './devnet.ts';
import { type DevnetFlags, FlagError, helpText, parseFlags } from './flags.ts';

/** The command `npm run devnet`: the development chain without Stele. */

function fail(line: string): never {
  process.stderr.write(`${line}\n`);
  process.exit(1);
}

function readFlags(): DevnetFlags {
  try {
    return parseFlags(process.argv.slice(2));
  } catch (error) {
    if (error instanceof FlagError) fail(`devnet: ${error.message}`);
    throw error;
  }
}

async function start({ port, host, blockTime, without }: DevnetFlags): Promise<Devnet> {
  try {
    return await createDevnet({ port, host, blockTime, without, actors: true, admin: true });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'EADDRINUSE') fail(`devnet: --port ${port} is already in use on ${host}`);
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') fail(`devnet: --host ${host} is not an address of this machine`);
    throw error;
  }
}

if (process.argv.some((argument) => argument === '--help' || argument === '-h')) {
  process.stdout.write(helpText);
  process.exit(0);
}
const flags = readFlags();
const devnet = await start(flags);

const lines = [
  `Chain ${devnet.chainId}, one block every ${flags.blockTime} ms, at ${devnet.nodes.map(({ url }) => url).join(' ')}`,
  'Accounts of the public development mnemonic. Their private keys are public: use them on a devnet only.',
  ...devnet.accounts.map(({ address }, index) => `  ${index}  ${address}`),
];
process.stdout.write(`${lines.join('\n')}\n`);

let closing = false;
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    if (closing) return;
    closing = true;
    void devnet.close().then(() => process.exit(0));
  });
}
