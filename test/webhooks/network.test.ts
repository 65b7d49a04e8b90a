import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { attempt } from '../../src/webhooks/attempt.ts';
import { createNetwork } from '../../src/webhooks/network.ts';

/** Hosts in URLs that lead to addresses which are not public, in all the ways in which they can be written. */
const literals = [
  '127.0.0.1',
  '127.1',
  '0177.0.0.1',
  '0x7f.0.0.1',
  '0x7f000001',
  '2130706433',
  '017700000001',
  '127.0.0.1.',
  '１２７.０.０.１',
  '127。0。0。1',
  '0.0.0.0',
  '0',
  '10.0.0.1',
  '012.0.0.1',
  '167772161',
  '100.64.0.1',
  '169.254.169.254',
  '0xa9fea9fe',
  '2852039166',
  '0251.0376.0251.0376',
  '172.16.0.1',
  '172.31.255.255',
  '192.0.0.8',
  '192.0.2.1',
  '192.88.99.1',
  '192.168.1.1',
  '198.18.0.1',
  '198.51.100.7',
  '203.0.113.9',
  '224.0.0.1',
  '239.255.255.250',
  '240.0.0.1',
  '255.255.255.255',
  '[::]',
  '[::1]',
  '[0:0:0:0:0:0:0:1]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[::ffff:169.254.169.254]',
  '[::127.0.0.1]',
  '[64:ff9b::7f00:1]',
  '[64:ff9b:1::1]',
  '[100::1]',
  '[2001::1]',
  '[2001:0:7f00:1::]',
  '[2001:db8::1]',
  '[2002:7f00:1::]',
  '[2002:a9fe:a9fe::1]',
  '[3fff::1]',
  '[fc00::1]',
  '[fd00:ec2::254]',
  '[fe80::1]',
  '[fec0::1]',
  '[ff02::1]',
];

const refused = /is not allowed/;

describe('the guard of receivers', () => {
  it.each(literals)('refuses %s', async (host) => {
    const network = createNetwork([], async () => [{ address: '127.0.0.1', family: 4 }]);
    const text = `https://${host}/hook`;
    // A final dot makes it a name for some parsers, which then resolves to the address.
    expect(() => {
      if (!host.endsWith('1.')) network.checkUrl(text);
      else throw new Error('a URL of a public address');
    }).toThrow('a URL of a public address');
    await expect(network.resolve(new URL(text))).rejects.toThrow(refused);
  });

  it.each([
    'http://example.org/',
    'https://example.org:8443/',
    'https://example.org:22/',
    'https://user:secret@example.org/',
    'https://user@example.org/',
    'ftp://example.org/',
    'file:///etc/passwd',
    'gopher://127.0.0.1:6379/_FLUSHALL',
    'data:text/plain,a',
    'https://',
    'https://[::1',
    '//example.org/',
    'javascript:alert(1)',
    `https://example.org/${'a'.repeat(3_000)}`,
  ])('refuses the URL %s', (url) => {
    expect(() => createNetwork([]).checkUrl(url)).toThrow('`url` must be');
  });

  it('accepts public addresses over https, and listed networks over http at any port', async () => {
    const network = createNetwork(['10.1.0.0/16', 'fd00::/8']);
    for (const url of [
      'https://example.org/',
      'https://example.org:443/a?b',
      'https://93.184.216.34/',
      'https://[2606:2800:220:1::1]/',
      'http://10.1.2.3:8080/',
      'https://[fd00::1]:9/',
    ])
      expect(network.checkUrl(url)).toBe(new URL(url).href);
    await expect(network.resolve(new URL('http://10.1.2.3:8080/'))).resolves.toEqual({ address: '10.1.2.3', family: 4 });
    await expect(network.resolve(new URL('http://10.2.0.1/'))).rejects.toThrow(refused);
    await expect(network.resolve(new URL('http://93.184.216.34/'))).rejects.toThrow(refused);
    await expect(network.resolve(new URL('https://93.184.216.34:8443/'))).rejects.toThrow(refused);
  });

  it('refuses a host if one of its addresses is not allowed, and one without an address', async () => {
    const answers = [
      [
        { address: '93.184.216.34', family: 4 },
        { address: '127.0.0.1', family: 4 },
      ],
      [{ address: '::ffff:10.0.0.1', family: 6 }],
      [{ address: 'fe80::1%eth0', family: 6 }],
      [],
    ];
    for (const addresses of answers)
      await expect(createNetwork([], async () => addresses).resolve(new URL('https://example.org/'))).rejects.toThrow();
    const fails = createNetwork([], () => Promise.reject(new Error('getaddrinfo ENOTFOUND 10.9.8.7')));
    await expect(fails.resolve(new URL('https://example.org/'))).rejects.toThrow('The host of the URL cannot be resolved.');
  });

  it('resolves once for a try and connects to what was checked, so a name that changes between two look-ups gains nothing', async () => {
    const paths: string[] = [];
    const server = createServer((request, response) => {
      paths.push(`${request.headers.host}${request.url}`);
      response.writeHead(200).end(`ok\u0000\u0007 ${'a'.repeat(100_000)}`);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    let lookups = 0;
    // The first answer is a listed address. Any further look-up would lead elsewhere.
    const network = createNetwork(['127.0.0.1'], async () => {
      lookups += 1;
      return [{ address: lookups === 1 ? '127.0.0.1' : '127.0.0.2', family: 4 }];
    });
    const send = (url: string) => attempt({ network, timeout: 5_000, maxBytes: 64 * 1024 }, url, {}, '{}');
    const result = await send(`http://receiver.example:${port}/hook`);
    expect([lookups, result.status, result.response, paths]).toEqual([
      1,
      200,
      `ok ${'a'.repeat(197)}`,
      [`receiver.example:${port}/hook`],
    ]);
    expect(await send(`http://receiver.example:${port}/hook`)).toMatchObject({
      status: null,
      error: 'The host of the URL has an address, or the URL a port, that is not allowed.',
    });
    expect(paths).toHaveLength(1);
    await new Promise<void>((resolve) => server.close(() => resolve()));
  });

  it('ends a try after its time, and says nothing about addresses', async () => {
    const server = createServer(() => undefined);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const network = createNetwork(['127.0.0.1']);
    const options = { network, timeout: 100, maxBytes: 1_000 };
    expect((await attempt(options, `http://127.0.0.1:${port}/`, {}, '{}')).error).toBe(
      'The receiver did not respond within 0.1 s.',
    );
    server.closeAllConnections();
    await new Promise<void>((resolve) => server.close(() => resolve()));
    const { error } = await attempt(options, `http://127.0.0.1:${port}/`, {}, '{}');
    expect(error).toBe('The connection to the receiver failed.');
  });
});
