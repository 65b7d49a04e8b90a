import { describe, expect, it } from 'vitest';
import { ConfigError, readConfig } from '../src/config.ts';

/** Who is let in, when nothing is said. */
const auth = { kind: 'embedded', audience: undefined, clientsFile: undefined, keysFile: undefined, lifetime: 3600 };

/** What an operator sets, when nothing is said. */
const operating = { adminPort: 0, adminHost: '127.0.0.1', drainDelay: 5_000, logLevel: 'info', limits: {}, allowedOrigins: [] };

const flags =
  '--port, --host, --node, --allowed-origin, --network, --broadcast-commit, --cache-dir, --admin-port, --admin-host, --drain-delay, --log-level, --auth-issuer, --auth-audience, --auth-jwks-url, --auth-algorithms, --auth-token-type, --clients-file, --keys-file, --token-lifetime, --limit';

function mistakesOf(argv: readonly string[], env: Readonly<Record<string, string>>): readonly string[] {
  try {
    readConfig(argv, env);
  } catch (error) {
    if (error instanceof ConfigError) return error.mistakes;
  }
  throw new Error('no mistake was found');
}

describe('readConfig', () => {
  it('runs the embedded chain on port 4000 of this machine alone when nothing is said', () => {
    expect(readConfig([], { PATH: '/bin', XDG_CACHE_HOME: '/c' })).toEqual({
      port: 4000,
      host: '127.0.0.1',
      nodes: [],
      chainId: undefined,
      broadcastCommit: true,
      cacheDir: '/c/stele',
      ...operating,
      auth,
    });
  });

  it('takes flags before variables', () => {
    const env = {
      XDG_CACHE_HOME: '/c',
      STELE_PORT: '1',
      STELE_HOST: '::1',
      STELE_NODES: 'http://a:1, https://u:p@b/rpc',
      STELE_NETWORK: 'testnet',
    };
    expect(readConfig([], env)).toEqual({
      auth,
      port: 1,
      host: '::1',
      nodes: ['http://a:1', 'https://u:p@b/rpc', 'https://rpc.test.provenance.io'],
      chainId: 'pio-testnet-1',
      broadcastCommit: true,
      cacheDir: '/c/stele',
      ...operating,
    });
    const flags = ['--port', '0', '--host=0.0.0.0', '--node', 'http://c:1', '--node', 'http://d:1', '--network', 'mainnet'];
    expect(readConfig([...flags, '--clients-file', 'c.json', '--auth-audience', 'https://api'], env)).toEqual({
      auth: { ...auth, clientsFile: 'c.json', audience: 'https://api' },
      port: 0,
      host: '0.0.0.0',
      nodes: ['http://c:1', 'http://d:1', 'https://rpc.provenance.io'],
      chainId: 'pio-mainnet-1',
      broadcastCommit: true,
      cacheDir: '/c/stele',
      ...operating,
    });
  });

  it('takes a mutation out of service, by flag or by variable', () => {
    expect(readConfig([], { STELE_BROADCAST_COMMIT: 'off' }).broadcastCommit).toBe(false);
    expect(readConfig(['--broadcast-commit', 'on'], { STELE_BROADCAST_COMMIT: 'off' }).broadcastCommit).toBe(true);
  });

  it('keeps what a chain says of itself where it is told to, or nowhere', () => {
    expect(readConfig([], { STELE_CACHE_DIR: '/a' }).cacheDir).toBe('/a');
    expect(readConfig(['--cache-dir', 'off'], { STELE_CACHE_DIR: '/a' }).cacheDir).toBeUndefined();
  });

  it.each([
    [['--cache-dir', ''], {}, '--cache-dir (STELE_CACHE_DIR) must be a directory, or `off`'],
    [['--port', '65536'], {}, '--port (STELE_PORT) must be a port from 0 to 65535'],
    [['--port', 'http'], {}, '--port (STELE_PORT) must be a port from 0 to 65535'],
    [['--network', 'main'], {}, '--network (STELE_NETWORK) must be `mainnet` or `testnet`'],
    [['--node', 'localhost:26657'], {}, '--node (STELE_NODES) must be http or https addresses of nodes'],
    [['--broadcast-commit', 'no'], {}, '--broadcast-commit (STELE_BROADCAST_COMMIT) must be `on` or `off`'],
    [['--verbose'], {}, `--verbose is no flag; there are ${flags}`],
    [['--prot', 'hunter2'], {}, `--prot is no flag; there are ${flags}`],
    [['--prot=hunter2'], {}, `--prot is no flag; there are ${flags}`],
    [['hunter2'], {}, `argument 1 belongs to no flag; there are ${flags}`],
    [['--port', '--host', '::1'], {}, '--port takes a value'],
    [['--host'], {}, '--host takes a value'],
    [['--admin-port', '-1'], {}, '--admin-port (STELE_ADMIN_PORT) must be a port from 0 to 65535'],
    [['--drain-delay', '21'], {}, '--drain-delay (STELE_DRAIN_DELAY) must be seconds from 0 to 20'],
    [[], { STELE_LOG_LEVEL: 'all' }, '--log-level (STELE_LOG_LEVEL) must be `debug`, `info`, `warn`, `error` or `silent`'],
    [
      [],
      { STELE_NODE: 'http://a' },
      'STELE_NODE is no setting; there are STELE_PORT, STELE_HOST, STELE_NODES, STELE_ALLOWED_ORIGINS, STELE_NETWORK, STELE_BROADCAST_COMMIT',
    ],
    [[], { STELE_NODES: 'http://a,ftp://user:hunter2@b' }, '--node (STELE_NODES) must be http or https addresses of nodes'],
  ] as const)('refuses %j %j in one line', (argv, env, message) => {
    const [first] = mistakesOf(argv, env);
    expect(first).toContain(message);
    expect(first).toMatch(/^[^\n]*$/);
    expect(mistakesOf(argv, env).join()).not.toContain('hunter2');
  });

  it('tells everything that is wrong, each once', () => {
    const argv = ['--verbose', '--port', 'x', '--node', 'a', '--node', 'b'];
    const env = { STELE_NETWORK: 'main', STELE_HOTS: '::1', STELE_DRAIN_DELAY: '5s' };
    expect(mistakesOf(argv, env).map((mistake) => mistake.split(/[ ;]/, 1)[0])).toEqual([
      '--verbose',
      'STELE_HOTS',
      '--network',
      '--port',
      '--node',
      '--drain-delay',
    ]);
  });

  it('reads what an operator sets', () => {
    const env = { STELE_ADMIN_PORT: '9', STELE_ADMIN_HOST: '0.0.0.0', STELE_DRAIN_DELAY: '0', STELE_LOG_LEVEL: 'warn' };
    expect(readConfig([], env)).toMatchObject({ adminPort: 9, adminHost: '0.0.0.0', drainDelay: 0, logLevel: 'warn' });
    expect(readConfig(['--drain-delay', '0.5'], env).drainDelay).toBe(500);
  });
});
