import type { MemoryBudget } from './chain/memory/memoryBudget.ts';
import type { AuthConfig } from './config/authTypes.ts';
import { devnetClient } from './config/authTypes.ts';
import { type Authenticator, createAuthenticator } from './http/auth/auth.ts';
import { clockSkew } from './http/auth/claims.ts';
import { createOutsideKeys } from './http/auth/outsideKeys.ts';
import { readClientFile } from './http/issuer/clientFile.ts';
import { createClients } from './http/issuer/clients.ts';
import { createIssuer, type Issuer } from './http/issuer/issuer.ts';
import { createIssuerKeys, createMemoryKeyStore } from './http/issuer/issuerKeys.ts';
import { createFileKeyStore } from './http/issuer/keyFile.ts';
import { hashSecret } from './http/issuer/secretHash.ts';
import { knownScopes } from './reads/viewer.ts';

/** What lets people in. */
export interface Auth {
  readonly auth: Authenticator;
  readonly issuer: Issuer | undefined;
  /** A token of the client `devnet`, where it is. */
  readonly devnetToken: (() => Promise<string>) | undefined;
}

/** How long a key is signed with, ms. */
const keyPeriod = 24 * 60 * 60_000;

/**
 * Makes what a configuration says. `address` is where the server can be reached, once it listens. Rejects when a file does not
 * hold what it should.
 */
export async function createAuth(
  config: AuthConfig,
  options: {
    readonly address: () => string;
    readonly report: (error: unknown, requestId: string) => void;
    /** Where verified tokens are remembered. */
    readonly memory?: MemoryBudget;
  },
): Promise<Auth> {
  if (config.kind === 'outside') {
    const { issuer, audience, algorithms, strictType } = config;
    const keys = createOutsideKeys({ ...config, report: options.report });
    const auth = createAuthenticator(
      { keys, issuer: () => issuer, audience, algorithms, strictType },
      Date.now,
      options.memory,
    );
    return { auth, issuer: undefined, devnetToken: undefined };
  }
  const { audience = devnetClient.audience, clientsFile, keysFile, lifetime } = config;
  const address = config.audience === undefined ? options.address : () => audience;
  const keys = createIssuerKeys({
    store: keysFile === undefined ? createMemoryKeyStore() : createFileKeyStore(keysFile),
    period: keyPeriod,
    overlap: (lifetime + 2 * clockSkew) * 1000,
  });
  // What is wrong with a file is to be known now.
  await keys.signing().catch(naming('--keys-file (STELE_KEYS_FILE)'));
  const list = clientsFile === undefined ? await devnetClients() : readClientFile(clientsFile);
  await list().catch(naming('--clients-file (STELE_CLIENTS_FILE)'));
  const issuer = createIssuer({ keys, clients: createClients(list), address, audience, lifetime, report: options.report });
  const auth = createAuthenticator(
    { keys, issuer: address, audience, algorithms: ['ES256'], strictType: true },
    Date.now,
    options.memory,
  );
  return { auth, issuer, devnetToken: clientsFile === undefined ? keptToken(issuer, lifetime) : undefined };
}

/** Tells what is wrong together with the setting that it is wrong with. */
function naming(setting: string): (error: unknown) => never {
  return (error) => {
    throw new Error(`${setting}: ${error instanceof Error ? error.message : error}`, { cause: error });
  };
}

async function devnetClients() {
  const clients = [
    { id: devnetClient.id, secretHash: await hashSecret(devnetClient.secret), scopes: knownScopes, isLocal: true },
  ];
  return async () => clients;
}

/** A token that has at least half of its life before it. */
function keptToken({ sign }: Issuer, lifetime: number): () => Promise<string> {
  let kept: { readonly token: Promise<string>; readonly until: number } | undefined;
  return () => {
    if (kept === undefined || Date.now() >= kept.until)
      kept = { token: sign({ clientId: devnetClient.id, scopes: knownScopes }), until: Date.now() + lifetime * 500 };
    return kept.token;
  };
}
