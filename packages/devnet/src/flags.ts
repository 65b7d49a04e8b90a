import { parseArgs } from 'node:util';
import { type DevnetModule, devnetModules } from '../../../src/config/devnetModules.ts';

/** The command-line flags. */
export interface DevnetFlags {
  readonly port: number;
  readonly host: string;
  /** Milliseconds. */
  readonly blockTime: number;
  /** Modules that the chain does not have. */
  readonly without: readonly DevnetModule[];
}

/** An invalid flag. The message is one line that names the flag and what it must be. */
export class FlagError extends Error {
  override readonly name = 'FlagError';
}

const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000 };

function milliseconds(flag: string, text: string): number {
  const [, amount, unit] = /^(\d+(?:\.\d+)?)(ms|s|m)$/.exec(text) ?? [];
  const value = amount === undefined || unit === undefined ? Number.NaN : Number(amount) * (units[unit] ?? Number.NaN);
  if (!(value >= 1 && value <= 86_400_000)) throw new FlagError(`${flag} must be a duration such as 50ms or 1s, not "${text}"`);
  return value;
}

function portNumber(flag: string, text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (!(port <= 65_535)) throw new FlagError(`${flag} must be a port from 0 to 65535, not "${text}"`);
  return port;
}

function moduleNames(flag: string, text: string): readonly DevnetModule[] {
  const names = text.split(',').filter((name) => name !== '');
  return names.map((name) => {
    const module = devnetModules.find((each) => each === name);
    if (module !== undefined) return module;
    throw new FlagError(`${flag} must be some of ${devnetModules.join(', ')}, comma separated, not "${name}"`);
  });
}

/** Outside the range 26656 to 26660, which real nodes and their signers use. */
const defaultPort = '4657';

const options = {
  port: { type: 'string', default: defaultPort },
  host: { type: 'string', default: '127.0.0.1' },
  'block-time': { type: 'string', default: '1s' },
  without: { type: 'string', default: '' },
} as const;

/** The text of `--help`. */
export const helpText = `Usage: npm run devnet -- [flags], or: node dist/devnet.js [flags]

Starts the development chain without Stele: the RPC of a node over HTTP and WebSocket. Connect Stele to it with
npm start -- --dev --node http://localhost:${defaultPort}

  --port PORT        The port (default: ${defaultPort}). 0 picks a free one.
  --host ADDRESS     The address to listen on (default: ${options.host.default}).
  --block-time TIME  The time between blocks, such as 50ms, 1s or 2m (default: ${options['block-time'].default}).
  --without MODULES  The modules that the chain does not have, such as group,marker (default: none).
  --help             Prints this text.
`;

/** Parses the flags. Throws a {@link FlagError} for unknown flags and invalid values. */
export function parseFlags(argv: readonly string[]): DevnetFlags {
  let values: { readonly port: string; readonly host: string; readonly 'block-time': string; readonly without: string };
  try {
    ({ values } = parseArgs({ args: [...argv], options, strict: true, allowPositionals: false }));
  } catch (error) {
    const why = error instanceof Error ? error.message.split('\n')[0] : String(error);
    throw new FlagError(`${why} (flags: --port ${defaultPort}, --host 127.0.0.1, --block-time 1s, --without group,marker)`);
  }
  if (values.host === '') throw new FlagError('--host must be an address to listen on, such as 127.0.0.1');
  return {
    port: portNumber('--port', values.port),
    host: values.host,
    blockTime: milliseconds('--block-time', values['block-time']),
    without: moduleNames('--without', values.without),
  };
}
