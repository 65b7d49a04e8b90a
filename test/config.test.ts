import { describe, expect, it } from 'vitest';
import { ConfigError, readConfig } from '../src/config.ts';

describe('readConfig', () => {
  it('runs the embedded chain on port 4000 of this machine alone when nothing is said', () => {
    expect(readConfig([], { PATH: '/bin', XDG_CACHE_HOME: '/c' })).toEqual({
      port: 4000,
      host: '127.0.0.1',
      nodes: [],
      chainId: undefined,
      broadcastCommit: true,
      cacheDir: '/c/stele',
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
      port: 1,
      host: '::1',
      nodes: ['http://a:1', 'https://u:p@b/rpc', 'https://rpc.test.provenance.io'],
      chainId: 'pio-testnet-1',
      broadcastCommit: true,
      cacheDir: '/c/stele',
    });
    const flags = ['--port', '0', '--host=0.0.0.0', '--node', 'http://c:1', '--node', 'http://d:1', '--network', 'mainnet'];
    expect(readConfig(flags, env)).toEqual({
      port: 0,
      host: '0.0.0.0',
      nodes: ['http://c:1', 'http://d:1', 'https://rpc.provenance.io'],
      chainId: 'pio-mainnet-1',
      broadcastCommit: true,
      cacheDir: '/c/stele',
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
    [
      ['--verbose'],
      {},
      "Unknown option '--verbose'; there are --port, --host, --node, --network, --broadcast-commit and --cache-dir",
    ],
    [['extra'], {}, /^Unexpected argument 'extra'/],
    [
      [],
      { STELE_NODE: 'http://a' },
      'STELE_NODE is no setting; there are STELE_PORT, STELE_HOST, STELE_NODES, STELE_NETWORK, STELE_BROADCAST_COMMIT',
    ],
    [[], { STELE_NODES: 'http://a,ftp://user:hunter2@b' }, '--node (STELE_NODES) must be http or https addresses of nodes'],
  ] as const)('refuses %j %j in one line', (argv, env, message) => {
    const attempt = (): unknown => readConfig([...argv], env);
    expect(attempt).toThrow(ConfigError);
    expect(attempt).toThrow(message);
    expect(attempt).toThrow(/^[^\n]*$/);
    expect(attempt).not.toThrow('hunter2');
  });
});
