import { parseArgs } from 'node:util';
import { addClient } from '../src/http/issuer/clientFile.ts';
import { knownScopes, scopesAmong } from '../src/reads/viewer.ts';

const usage = `npm run client -- --name NAME --scopes ${knownScopes.join(',')} --file clients.json`;

/** Parses the command line. Throws an error with one line if it is invalid. */
function read(argv: readonly string[]): { name: string; scopes: ReturnType<typeof scopesAmong>; file: string } {
  const options = { name: { type: 'string' }, scopes: { type: 'string' }, file: { type: 'string' } } as const;
  const { name = '', scopes = '', file = '' } = parseArgs({ args: [...argv], options }).values;
  if (!/^[\w.-]{1,64}$/.test(name)) throw new Error('--name must be up to 64 letters, digits, `.`, `-` or `_`');
  const names = scopes.split(',').map((scope) => scope.trim());
  const known = scopesAmong(names);
  if (known.length === 0 || known.length !== names.length)
    throw new Error(`--scopes must be some of ${knownScopes.join(', ')}`);
  if (file === '') throw new Error('--file must be the path of the client file; it is created if it does not exist');
  return { name, scopes: known, file };
}

// Creates a client of the embedded issuer. Its secret is only printed here, because the file contains its hash.
try {
  const { name, scopes, file } = read(process.argv.slice(2));
  const { id, secret } = await addClient(file, name, scopes);
  process.stdout.write(`client_id      ${id}\nclient_secret  ${secret}\n`);
} catch (error) {
  process.stderr.write(`client: ${error instanceof Error ? error.message : error}\n${usage}\n`);
  process.exit(1);
}
