import { describe, expect, it } from 'vitest';
import { ConfigError, readConfig } from '../../src/config/settings/config.ts';

/** The default authentication settings. */
const auth = {
  kind: 'embedded',
  audience: undefined,
  clientsFile: undefined,
  hasDevnetClient: true,
  keysFile: undefined,
  keptKeys: '/d/stele/devnet-keys.json',
  lifetime: 3600,
};

/** The default operating settings, with `/d` as `XDG_DATA_HOME`. */
const operating = {
  archive: { kind: 'file', mode: 'FULL' },
  archiveMode: 'GOVERNANCE',
  archiveRetention: undefined,
  archiveFrom: undefined,
  dataDir: '/d/stele',
  adminPort: 0,
  adminHost: '127.0.0.1',
  drainDelay: 5_000,
  workers: 1,
  shared: undefined,
  sharedSecret: undefined,
  logLevel: 'info',
  limits: {},
  allowedOrigins: [],
  webhookNetworks: [],
  trustedProxies: [],
  plugins: [],
  trustedDocuments: undefined,
  onlyTrustedDocuments: false,
  allowSharedCaches: false,
  cacheTags: false,
  invalidate: [],
  invalidateFormat: 'surrogate-key',
  federation: '2.6',
  typed: 'all',
  dashboardLogin: undefined,
  dashboardLook: { name: undefined, logo: undefined, colours: undefined, start: undefined, off: [], ancestors: [] },
  public: [],
};

const flags =
  '--port, --host, --node, --devnet-without, --allowed-origin, --webhook-network, --trusted-proxy, --trusted-documents, --only-trusted-documents, --allow-shared-caches, --cache-tags, --invalidate, --invalidate-format, --federation, --typed, --plugin, --network, --broadcast-commit, --simulation-node, --rehearse-contracts, --verify, --trust, --trusting-period, --quorum, --stores, --cache-dir, --admin-port, --admin-host, --drain-delay, --log-level, --archive, --archive-mode, --archive-retention, --archive-from, --data-dir, --workers, --shared, --shared-secret, --dev, --public, --auth-issuer, --auth-audience, --auth-jwks-url, --auth-algorithms, --auth-token-type, --clients-file, --keys-file, --token-lifetime, --dashboard-client-id, --dashboard-scope, --dashboard-login-parameters, --dashboard-name, --dashboard-logo, --dashboard-colours, --dashboard-start, --dashboard-off, --dashboard-ancestors, --limit, --help, --version';

function errorsOf(argv: readonly string[], env: Readonly<Record<string, string>>): readonly string[] {
  try {
    readConfig(argv, env);
  } catch (error) {
    if (error instanceof ConfigError) return error.errors;
  }
  throw new Error('readConfig did not fail');
}

describe('readConfig', () => {
  it('defaults to the embedded chain on port 4000 of the loopback address', () => {
    expect(readConfig([], { PATH: '/bin', XDG_CACHE_HOME: '/c', XDG_DATA_HOME: '/d' })).toEqual({
      port: 4000,
      host: '127.0.0.1',
      nodes: [],
      chainId: undefined,
      broadcastCommit: true,
      simulationNode: undefined,
      rehearseContracts: false,
      verify: 'heads',
      quorum: 1,
      trust: undefined,
      trustingPeriod: undefined,
      simulatesEverywhere: true,
      requiresVerification: false,
      cacheDir: '/c/stele',
      ...operating,
      auth,
    });
  });

  it('prefers flags to variables', () => {
    const env = {
      XDG_CACHE_HOME: '/c',
      XDG_DATA_HOME: '/d',
      STELE_PORT: '1',
      STELE_HOST: '::1',
      STELE_NODES: 'http://a:1, https://u:p@b/rpc',
      STELE_NETWORK: 'testnet',
      STELE_DEV: 'on',
    };
    expect(readConfig([], env)).toEqual({
      auth,
      port: 1,
      host: '::1',
      nodes: ['http://a:1', 'https://u:p@b/rpc', 'https://rpc.test.provenance.io'],
      chainId: 'pio-testnet-1',
      broadcastCommit: true,
      simulationNode: undefined,
      rehearseContracts: false,
      verify: 'heads',
      quorum: 1,
      trust: undefined,
      trustingPeriod: undefined,
      simulatesEverywhere: true,
      requiresVerification: false,
      cacheDir: '/c/stele',
      ...operating,
      archive: { kind: 'file', mode: 'GOVERNANCE' },
    });
    const flags = ['--port', '0', '--host=0.0.0.0', '--node', 'http://c:1', '--node', 'http://d:1', '--network', 'mainnet'];
    const others = { ...env, STELE_DEV: 'off' };
    expect(readConfig([...flags, '--clients-file', 'c.json', '--auth-audience', 'https://api'], others)).toEqual({
      auth: {
        ...auth,
        clientsFile: 'c.json',
        hasDevnetClient: false,
        keptKeys: '/d/stele/keys.json',
        audience: 'https://api',
      },
      port: 0,
      host: '0.0.0.0',
      nodes: ['http://c:1', 'http://d:1', 'https://rpc.provenance.io'],
      chainId: 'pio-mainnet-1',
      broadcastCommit: true,
      simulationNode: undefined,
      rehearseContracts: false,
      verify: 'heads',
      quorum: 1,
      trust: undefined,
      trustingPeriod: undefined,
      simulatesEverywhere: false,
      requiresVerification: false,
      cacheDir: '/c/stele',
      ...operating,
      archive: { kind: 'file', mode: 'GOVERNANCE' },
    });
  });

  it('requires --dev or another client configuration if the chain is not the embedded one', () => {
    const env = { XDG_DATA_HOME: '/d' };
    for (const nodes of [
      ['--node', 'http://a'],
      ['--network', 'testnet'],
    ]) {
      expect(errorsOf(nodes, {})).toEqual([
        '--node (STELE_NODES) and --network (STELE_NETWORK) need --dev (STELE_DEV), --clients-file (STELE_CLIENTS_FILE), --auth-issuer (STELE_AUTH_ISSUER) or --public (STELE_PUBLIC)',
      ]);
      expect(errorsOf(nodes, { STELE_DEV: 'off' })).toHaveLength(1);
      expect(readConfig([...nodes, '--dev'], env).auth).toEqual(auth);
      expect(readConfig(['--dev', ...nodes], env).auth).toEqual(auth);
      expect(readConfig(nodes, { ...env, STELE_DEV: 'on' }).auth).toEqual(auth);
      expect(readConfig([...nodes, '--clients-file', 'c.json'], {}).auth).toMatchObject({ clientsFile: 'c.json' });
      expect(readConfig([...nodes, '--dev', '--clients-file', 'c.json'], {}).auth).toMatchObject({ hasDevnetClient: true });
      const outside = ['--auth-issuer', 'https://login.example', '--auth-audience', 'https://api'];
      expect(readConfig([...nodes, ...outside], {}).auth).toMatchObject({ kind: 'outside' });
    }
    for (const [variable, value] of [
      ['STELE_NODES', 'http://a'],
      ['STELE_NETWORK', 'testnet'],
    ] as const)
      expect(errorsOf([], { [variable]: value })).toHaveLength(1);
    expect(readConfig(['--dev'], env).auth).toEqual(auth);
  });

  it('needs no client with --public, and then has none over nodes and on other addresses', () => {
    const nodes = ['--node', 'http://a'];
    const of = (...argv: string[]) => readConfig(['--data-dir', '/k', ...argv], {});
    const noClient = { kind: 'embedded', clientsFile: undefined, hasDevnetClient: false, keptKeys: '/k/keys.json' };
    expect(of(...nodes, '--public', 'read')).toMatchObject({ public: ['read'], auth: noClient });
    expect(of(...nodes, '--public', 'read', '--host', '0.0.0.0').auth).toMatchObject(noClient);
    expect(of('--public', 'read', '--host', '0.0.0.0').auth).toMatchObject(noClient);
    expect(of('--public', 'read,introspect')).toMatchObject({
      public: ['read', 'introspect'],
      auth: { hasDevnetClient: true },
    });
    expect(of(...nodes, '--dev', '--public', 'read').auth).toMatchObject({ hasDevnetClient: true });
    expect(of(...nodes, '--public', 'read', '--clients-file', 'c.json').auth).toMatchObject({ clientsFile: 'c.json' });
    const bounds = ['--public (STELE_PUBLIC) must be some of read, introspect, comma separated'];
    for (const scopes of ['broadcast', 'simulate', 'read,broadcast', ''])
      expect(errorsOf([`--public=${scopes}`], {})).toEqual(bounds);
    expect(errorsOf(['--public', 'read,introspect', '--only-trusted-documents'], {})).toEqual([
      '--public introspect (STELE_PUBLIC) cannot be combined with --only-trusted-documents, because that scope allows any document',
    ]);
  });

  it('keeps the signing keys in the data directory, unless they have a file or replicas share them', () => {
    const keysOf = (...flags: string[]) => readConfig(['--data-dir', '/k', ...flags], {}).auth;
    expect(keysOf()).toMatchObject({ keysFile: undefined, keptKeys: '/k/devnet-keys.json' });
    expect(keysOf('--clients-file', 'c.json')).toMatchObject({ keysFile: undefined, keptKeys: '/k/keys.json' });
    expect(keysOf('--keys-file', 'k.json')).toMatchObject({ keysFile: 'k.json' });
    expect(keysOf('--shared', 'redis://a', '--shared-secret', 'x'.repeat(32))).toMatchObject({ keptKeys: undefined });
  });

  it('takes a node for simulations that is none of the others', () => {
    const nodes = ['--dev', '--node', 'http://a:1', '--node', 'http://b:1/rpc'];
    expect(readConfig([...nodes, '--simulation-node', 'http://c:1'], {}).simulationNode).toBe('http://c:1');
    expect(readConfig(nodes, { STELE_SIMULATION_NODE: 'https://u:p@c/rest' }).simulationNode).toBe('https://u:p@c/rest');
    expect(errorsOf([...nodes, '--simulation-node', 'http://u:secret@b:1'], {})).toEqual([
      '--simulation-node (STELE_SIMULATION_NODE) must not be one of --node (STELE_NODES), because a simulation can stop it',
    ]);
    expect(errorsOf([...nodes, '--simulation-node', 'secret'], {})).toEqual([
      '--simulation-node (STELE_SIMULATION_NODE) must be the http or https address of a node',
    ]);
  });

  it('verifies newest blocks from the block of the operator on', () => {
    const hash = 'ab'.repeat(32);
    const { verify, trust, trustingPeriod } = readConfig(
      ['--verify', 'heads', '--trust', `12:${hash}`, '--trusting-period', '12h'],
      {},
    );
    expect([verify, trust, trustingPeriod]).toEqual(['heads', { height: 12n, hash: hash.toUpperCase() }, 43_200_000_000_000n]);
    expect(readConfig([], { STELE_VERIFY: 'off', STELE_TRUSTING_PERIOD: '14d' })).toMatchObject({
      verify: 'off',
      quorum: 1,
      trustingPeriod: 14n * 86_400_000_000_000n,
    });
    for (const flags of [
      ['--trust', '12'],
      ['--trust', `0:${hash}`],
      ['--trust', `12:${hash}0`],
      ['--trusting-period', '0d'],
      ['--verify', 'all'],
    ])
      expect(errorsOf(flags, {})).toHaveLength(1);
    expect(readConfig(['--verify', 'reads'], {}).verify).toBe('reads');
    // By default, a chain whose nodes return nothing to verify is served all the same.
    expect(readConfig([], {})).toMatchObject({ verify: 'heads', requiresVerification: false });
    expect(readConfig(['--verify', 'heads'], {}).requiresVerification).toBe(true);
    expect(readConfig(['--trust', `12:${hash}`], {}).requiresVerification).toBe(true);
  });

  it('disables broadcastTxCommit by flag or variable', () => {
    expect(readConfig([], { STELE_BROADCAST_COMMIT: 'off' }).broadcastCommit).toBe(false);
    expect(readConfig(['--broadcast-commit', 'on'], { STELE_BROADCAST_COMMIT: 'off' }).broadcastCommit).toBe(true);
  });

  it('sets the cache directory, or disables it', () => {
    expect(readConfig([], { STELE_CACHE_DIR: '/a' }).cacheDir).toBe('/a');
    expect(readConfig(['--cache-dir', 'off'], { STELE_CACHE_DIR: '/a' }).cacheDir).toBeUndefined();
  });

  it('selects the place of the archive and the height down to which it is filled in', () => {
    expect(readConfig(['--workers', '3'], {}).workers).toBe(3);
    expect(readConfig(['--workers', 'auto'], {}).workers).toBeGreaterThan(0);
    expect(readConfig(['--archive', 'off'], { STELE_ARCHIVE: 'governance' }).archive).toEqual({ kind: 'off' });
    const url = 'postgres://user:secret@db.example/stele';
    expect(readConfig([], { STELE_ARCHIVE: url }).archive).toEqual({ kind: 'postgres', url });
    expect(readConfig(['--dev', '--node', 'http://a:26657'], {}).archive).toEqual({ kind: 'file', mode: 'GOVERNANCE' });
    expect(readConfig(['--dev', '--node', 'http://a:26657', '--archive', 'full'], {}).archive).toEqual({
      kind: 'file',
      mode: 'FULL',
    });
    expect(readConfig(['--archive-mode', 'full', '--archive-retention', '90d'], {})).toMatchObject({
      archiveMode: 'FULL',
      archiveRetention: 90 * 86_400_000,
    });
    expect(readConfig(['--archive-from', '5000000', '--data-dir', '/a'], {})).toMatchObject({
      archiveFrom: 5_000_000n,
      dataDir: '/a',
    });
  });

  it('reads the look of the dashboard, and refuses colours in which texts cannot be read', () => {
    const given = [
      '--dashboard-name',
      'Harbor Board',
      '--dashboard-colours',
      '#0b5d3b,#7fe0b0',
      '--dashboard-off',
      'blocks, explore',
    ];
    const { dashboardLook } = readConfig(
      [...given, '--dashboard-start', '/groups/1', '--dashboard-ancestors', 'https://a.example'],
      {},
    );
    expect(dashboardLook).toEqual({
      ...{ name: 'Harbor Board', logo: undefined, colours: { light: '#0b5d3b', dark: '#7fe0b0' }, start: '/groups/1' },
      ...{ off: ['blocks', 'explore'], ancestors: ['https://a.example'] },
    });
    for (const colours of ['#ffd700', '#0b5d3b,#0b5d3b', 'green'])
      expect(errorsOf(['--dashboard-colours', colours], {})).toEqual([
        '--dashboard-colours (STELE_DASHBOARD_COLOURS) must be one or two colours, such as #2457c5,#86abff, with a contrast of at least 5.5 to white and to #171c25',
      ]);
    expect(
      errorsOf(['--dashboard-off', 'api', '--dashboard-ancestors', 'a.example', '--dashboard-logo', 'no.svg'], {}).length,
    ).toBe(3);
  });

  it('selects how the pages of the dashboard get a token', () => {
    const outside = ['--auth-issuer', 'https://login.example', '--auth-audience', 'https://api'];
    const login = { kind: 'openid', issuer: 'https://login.example', clientId: 'board', scope: 'openid read', parameters: {} };
    expect(readConfig([...outside, '--dashboard-client-id', 'board'], {}).dashboardLogin).toEqual(login);
    const env = {
      STELE_DASHBOARD_CLIENT_ID: 'board',
      STELE_DASHBOARD_SCOPE: 'openid read broadcast',
      STELE_DASHBOARD_LOGIN_PARAMETERS: 'audience=https%3A%2F%2Fapi&prompt=login',
    };
    const parameters = { audience: 'https://api', prompt: 'login' };
    expect(readConfig(outside, env).dashboardLogin).toEqual({ ...login, scope: 'openid read broadcast', parameters });
    const embedded = ['--clients-file', 'c.json', '--dashboard-client-id', 'dashboard-1'];
    expect(readConfig(embedded, {}).dashboardLogin).toEqual({ kind: 'client', clientId: 'dashboard-1' });
    expect(errorsOf(['--dashboard-client-id', 'board'], {})).toEqual([
      '--dashboard-client-id (STELE_DASHBOARD_CLIENT_ID) needs --auth-issuer or --clients-file',
    ]);
    expect(errorsOf([...embedded, '--dashboard-scope', 'read'], {})).toEqual([
      '--dashboard-scope and --dashboard-login-parameters need --auth-issuer and --dashboard-client-id',
    ]);
    expect(errorsOf([...outside, '--dashboard-client-id', 'a b'], {})).toEqual([
      '--dashboard-client-id (STELE_DASHBOARD_CLIENT_ID) must be a client id of printable ASCII characters',
    ]);
  });

  it.each([
    [['--archive', 'mysql://a'], {}, '--archive (STELE_ARCHIVE) must be `off`, `governance`, `full`, or a `postgres://` URL'],
    [
      ['--archive-retention', '90'],
      {},
      '--archive-retention (STELE_ARCHIVE_RETENTION) must be a number of days or hours, such as `90d` or `12h`',
    ],
    [['--workers', '0'], {}, '--workers (STELE_WORKERS) must be `auto`, or a number from 1 to 64'],
    [['--shared', 'http://a'], {}, '--shared (STELE_SHARED) must be a `redis://` or `rediss://` URL'],
    [
      ['--shared', 'redis://hunter2@a'],
      {},
      '--shared (STELE_SHARED) with the embedded issuer needs --shared-secret (STELE_SHARED_SECRET)',
    ],
    [['--shared-secret', 'hunter2'], {}, '--shared-secret (STELE_SHARED_SECRET) must be at least 32 characters'],
    [['--archive-from', '0'], {}, '--archive-from (STELE_ARCHIVE_FROM) must be a height of at least 1'],
    [['--data-dir', ''], {}, '--data-dir (STELE_DATA_DIR) must be a directory'],
    [['--quorum', '0'], {}, '--quorum (STELE_QUORUM) must be a number from 1 to 9'],
    [['--dev', '--node', 'http://a', '--quorum', '2'], {}, '--quorum (STELE_QUORUM) must be at most the number of nodes'],
    [['--cache-dir', ''], {}, '--cache-dir (STELE_CACHE_DIR) must be a directory, or `off`'],
    [['--port', '65536'], {}, '--port (STELE_PORT) must be a port from 0 to 65535'],
    [['--port', 'http'], {}, '--port (STELE_PORT) must be a port from 0 to 65535'],
    [['--network', 'main'], {}, '--network (STELE_NETWORK) must be `mainnet` or `testnet`'],
    [['--node', 'localhost:26657'], {}, '--node (STELE_NODES) must be http or https addresses of nodes'],
    [['--broadcast-commit', 'no'], {}, '--broadcast-commit (STELE_BROADCAST_COMMIT) must be `on` or `off`'],
    [['--dev=on'], {}, '--dev must have no value'],
    [['--dev', 'on'], {}, 'unexpected argument 2'],
    [[], { STELE_DEV: '1' }, '--dev (STELE_DEV) must be `on` or `off`'],
    [['--dev', '--host', '0.0.0.0'], {}, '--dev (STELE_DEV) needs a loopback address as --host (STELE_HOST)'],
    [
      ['--dev', '--host', '192.0.2.1', '--node', 'http://a'],
      {},
      '--dev (STELE_DEV) needs a loopback address as --host (STELE_HOST)',
    ],
    [
      ['--dev', '--auth-issuer', 'https://a.example', '--auth-audience', 'https://b.example'],
      {},
      '--dev (STELE_DEV) cannot be combined with --auth-issuer',
    ],
    [['--node', 'http://a', '--auth-issuer', 'ftp://a'], {}, '--auth-issuer (STELE_AUTH_ISSUER) must be an https URL'],
    [['--verbose'], {}, `unknown flag --verbose; the flags are ${flags}`],
    [['--prot', 'hunter2'], {}, `unknown flag --prot; the flags are ${flags}`],
    [['--prot=hunter2'], {}, `unknown flag --prot; the flags are ${flags}`],
    [['hunter2'], {}, `unexpected argument 1; the flags are ${flags}`],
    [['--port', '--host', '::1'], {}, '--port needs a value'],
    [['--host'], {}, '--host needs a value'],
    [['--admin-port', '-1'], {}, '--admin-port (STELE_ADMIN_PORT) must be a port from 0 to 65535'],
    [['--drain-delay', '21'], {}, '--drain-delay (STELE_DRAIN_DELAY) must be seconds from 0 to 20'],
    [[], { STELE_LOG_LEVEL: 'all' }, '--log-level (STELE_LOG_LEVEL) must be `debug`, `info`, `warn`, `error` or `silent`'],
    [
      [],
      { STELE_NODE: 'http://a' },
      'unknown variable STELE_NODE; the variables are STELE_PORT, STELE_HOST, STELE_NODES, STELE_DEVNET_WITHOUT, STELE_ALLOWED_ORIGINS, STELE_WEBHOOK_NETWORKS, STELE_TRUSTED_PROXIES, STELE_TRUSTED_DOCUMENTS, STELE_ONLY_TRUSTED_DOCUMENTS, STELE_ALLOW_SHARED_CACHES, STELE_CACHE_TAGS, STELE_INVALIDATE, STELE_INVALIDATE_FORMAT, STELE_FEDERATION, STELE_TYPED, STELE_PLUGINS, STELE_NETWORK, STELE_BROADCAST_COMMIT',
    ],
    [[], { STELE_NODES: 'http://a,ftp://user:hunter2@b' }, '--node (STELE_NODES) must be http or https addresses of nodes'],
  ] as const)('rejects %j %j with a single-line message', (argv, env, message) => {
    const [first] = errorsOf(argv, env);
    expect(first).toContain(message);
    expect(first).toMatch(/^[^\n]*$/);
    expect(errorsOf(argv, env).join()).not.toContain('hunter2');
  });

  it('lists every error once', () => {
    const argv = ['--verbose', '--port', 'x', '--node', 'a', '--node', 'b'];
    const env = { STELE_NETWORK: 'main', STELE_HOTS: '::1', STELE_DRAIN_DELAY: '5s' };
    expect(errorsOf(argv, env).map((error) => /--[a-z-]+|STELE_\w+/.exec(error)?.[0])).toEqual([
      '--verbose',
      'STELE_HOTS',
      '--port',
      '--node',
      '--network',
      '--drain-delay',
    ]);
  });

  it('reads operating settings', () => {
    const env = { STELE_ADMIN_PORT: '9', STELE_ADMIN_HOST: '0.0.0.0', STELE_DRAIN_DELAY: '0', STELE_LOG_LEVEL: 'warn' };
    expect(readConfig([], env)).toMatchObject({ adminPort: 9, adminHost: '0.0.0.0', drainDelay: 0, logLevel: 'warn' });
    expect(readConfig(['--drain-delay', '0.5'], env).drainDelay).toBe(500);
  });
});
