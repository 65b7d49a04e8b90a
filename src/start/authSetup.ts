import { access, constants, mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { MemoryBudget } from '../chain/memory/memoryBudget.ts';
import { devnetClient } from '../config/devnetClient.ts';
import type { AuthConfig } from '../config/settings/settings.ts';
import { knownScopes, type Scope } from '../reads/viewer.ts';
import { type Authenticator, admitAnonymous, clockSkew, createAuthenticator } from '../server/auth/auth.ts';
import { createOutsideKeys } from '../server/auth/outsideKeys.ts';
import { createClients, hashSecret, readClientFile } from '../server/issuer/clients.ts';
import { createIssuer, type Issuer } from '../server/issuer/issuer.ts';
import {
  createFileKeyStore,
  createIssuerKeys,
  createMemoryKeyStore,
  createSharedKeyStore,
  type KeyStore,
} from '../server/issuer/issuerKeys.ts';
import type { SharedStore } from '../shared/sharedStore.ts';

export interface Auth {
  readonly auth: Authenticator;
  /** The embedded issuer. undefined if tokens come from an outside issuer. */
  readonly issuer: Issuer | undefined;
  /** Returns a token of the client `devnet`. undefined if there is no such client. */
  readonly devnetToken: (() => Promise<string>) | undefined;
}

export interface AuthOptions {
  /** Returns the URL of the server once it listens. */
  readonly address: () => string;
  readonly report: (error: unknown, requestId: string) => void;
  readonly memory?: MemoryBudget;
  /** Where the signing keys are stored without a key file, and the secret that encrypts them there. Default: in this process. */
  readonly sharedKeys?: { readonly store: SharedStore; readonly secret: string } | undefined;
  /** Called if the keys are not kept for the next start, because their directory cannot be written. */
  readonly onLostKeys?: (error: unknown) => void;
  /** The scopes of requests without a token. By default, these are refused. */
  readonly anonymousScopes?: readonly Scope[];
}

const keyPeriod = 24 * 60 * 60_000;

/** Creates authentication from a configuration. Rejects if the key file or the client file is invalid. */
export async function createAuth(config: AuthConfig, options: AuthOptions): Promise<Auth> {
  const created = await createTokenAuth(config, options);
  const { anonymousScopes = [] } = options;
  return anonymousScopes.length === 0 ? created : { ...created, auth: admitAnonymous(created.auth, anonymousScopes) };
}

async function createTokenAuth(config: AuthConfig, options: AuthOptions): Promise<Auth> {
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
  const { audience = devnetClient.audience, clientsFile, keysFile, keptKeys, lifetime } = config;
  const hasDevnetClient = config.hasDevnetClient ?? clientsFile === undefined;
  const { sharedKeys, onLostKeys } = options;
  async function keyStore(): Promise<KeyStore> {
    if (keysFile !== undefined) return createFileKeyStore(keysFile);
    const store = keptKeys === undefined ? undefined : await keptStore(keptKeys, onLostKeys);
    if (store !== undefined) return store;
    return sharedKeys === undefined ? createMemoryKeyStore() : createSharedKeyStore(sharedKeys.store, sharedKeys.secret);
  }
  const address = config.audience === undefined ? options.address : () => audience;
  const keys = createIssuerKeys({
    store: await keyStore(),
    period: keyPeriod,
    overlap: (lifetime + 2 * clockSkew) * 1000,
  });
  // Invalid files must fail the start.
  await keys.signing().catch(naming(keysFile === undefined ? '--data-dir (STELE_DATA_DIR)' : '--keys-file (STELE_KEYS_FILE)'));
  const devnet = hasDevnetClient
    ? [{ id: devnetClient.id, secretHash: await hashSecret(devnetClient.secret), scopes: knownScopes, isLocal: true }]
    : [];
  const registered = clientsFile === undefined ? async () => [] : readClientFile(clientsFile);
  const list = async () => [...devnet, ...(await registered())];
  await list().catch(naming('--clients-file (STELE_CLIENTS_FILE)'));
  const issuer = createIssuer({ keys, clients: createClients(list), address, audience, lifetime, report: options.report });
  const auth = createAuthenticator(
    { keys, issuer: address, audience, algorithms: ['ES256'], strictType: true },
    Date.now,
    options.memory,
  );
  return { auth, issuer, devnetToken: hasDevnetClient ? cachedToken(issuer, lifetime) : undefined };
}

/** Returns a function that throws an error again with the name of its setting. */
function naming(setting: string): (error: unknown) => never {
  return (error) => {
    throw new Error(`${setting}: ${error instanceof Error ? error.message : error}`, { cause: error });
  };
}

/** The store in a file of the data directory, which is created. undefined if the directory cannot be written. */
async function keptStore(file: string, onLost: AuthOptions['onLostKeys']): Promise<KeyStore | undefined> {
  const directory = dirname(file);
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    await access(directory, constants.W_OK);
  } catch (error) {
    onLost?.(error);
    return undefined;
  }
  return createFileKeyStore(file);
}

/** Returns a function that returns a cached token of the client `devnet`. The token is replaced after half of its lifetime. */
function cachedToken({ sign }: Issuer, lifetime: number): () => Promise<string> {
  let cached: { readonly token: Promise<string>; readonly until: number } | undefined;
  return () => {
    if (cached === undefined || Date.now() >= cached.until)
      cached = {
        token: sign({ clientId: devnetClient.id, scopes: knownScopes, isPublic: false }),
        until: Date.now() + lifetime * 500,
      };
    return cached.token;
  };
}
