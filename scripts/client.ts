#!/usr/bin/env node
import { parseArgs } from 'node:util';
import { asksForHelp } from '../src/config/settings/settings.ts';
import { knownScopes, type Scope, scopesAmong } from '../src/reads/viewer.ts';
import { addClient, addPublicClient, isOrigin } from '../src/server/issuer/clients.ts';

const usage = `npm run client -- --name NAME --scopes ${knownScopes.join(',')} [--file clients.json]
npm run client -- --name NAME --public --origin https://app.example [--origin …] [--scopes read] [--file clients.json]`;

const help = `Usage: npm run client -- [flags], or: node dist/client.js [flags]

Creates a client of the issuer that is built into Stele, and adds it to a file. Prints its id, and its secret once: the file has only a hash.
Start the server with the file: npm start -- --clients-file clients.json

  --name NAME      The name of the client: up to 64 letters, digits, \`.\`, \`-\` or \`_\`. Required.
  --scopes LIST    Its scopes, separated by commas: ${knownScopes.join(', ')}. Required without --public.
  --file PATH      The file of clients (default: clients.json). It is created if it does not exist.
  --public         Creates a public client, for a web page. It has no secret, and the scope \`read\` without --scopes.
  --origin ORIGIN  The origin of the pages of a public client, such as https://app.example. It may be repeated.
  --help           Prints this text.

Examples:
  npm run client -- --name wallet --scopes read,broadcast
  npm run client -- --name board --public --origin https://app.example
`;

/** The parsed command line. `origins` is undefined for a client with a secret. */
interface Command {
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly file: string;
  readonly origins: readonly string[] | undefined;
}

const options = {
  name: { type: 'string' },
  scopes: { type: 'string' },
  file: { type: 'string' },
  public: { type: 'boolean' },
  origin: { type: 'string', multiple: true },
} as const;

/** Parses the command line. Throws an error with one line if it is invalid. */
function read(argv: readonly string[]): Command {
  const { values } = parseArgs({ args: [...argv], options });
  const { name = '', public: isPublic = false, origin = [], file = 'clients.json' } = values;
  const { scopes = isPublic ? 'read' : '' } = values;
  if (!/^[\w.-]{1,64}$/.test(name)) throw new Error('--name must be up to 64 letters, digits, `.`, `-` or `_`');
  const names = scopes.split(',').map((scope) => scope.trim());
  const known = scopesAmong(names);
  if (known.length === 0 || known.length !== names.length)
    throw new Error(`--scopes must be some of ${knownScopes.join(', ')}`);
  if (file === '') throw new Error('--file must be the path of the client file; it is created if it does not exist');
  if (!isPublic && origin.length > 0) throw new Error('--origin needs --public');
  if (isPublic && (origin.length === 0 || !origin.every(isOrigin)))
    throw new Error('--public needs --origin, the origin of the pages, such as https://app.example; it may be repeated');
  return { name, scopes: known, file, origins: isPublic ? origin : undefined };
}

/** Creates a client of the embedded issuer. Returns what is printed. A secret is only printed, because the file has its hash. */
async function create({ name, scopes, file, origins }: Command): Promise<string> {
  if (origins !== undefined) {
    const client = await addPublicClient(file, name, { scopes, origins });
    return `client_id      ${client.id}\norigins        ${client.origins.join(' ')}\n`;
  }
  const { id, secret } = await addClient(file, name, scopes);
  return `client_id      ${id}\nclient_secret  ${secret}\n`;
}

try {
  const argv = process.argv.slice(2);
  process.stdout.write(asksForHelp(argv) ? help : await create(read(argv)));
} catch (error) {
  process.stderr.write(`client: ${error instanceof Error ? error.message : error}\n${usage}\n`);
  process.exit(1);
}
