import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { expect, it } from 'vitest';
import { isNetwork } from '../../../src/config/network.ts';
import { clientAddress, createTrustedProxies } from '../../../src/server/messages/requestHeaders.ts';

const trusted = createTrustedProxies(['10.0.0.0/8', '2001:db8:ff::/48', '127.0.0.1']);

/** Returns the client address of a request from a peer. */
function clientOf(peer: string, headers: Readonly<Record<string, string>> = {}): string {
  const socket = new Socket();
  Object.defineProperty(socket, 'remoteAddress', { value: peer });
  const request = new IncomingMessage(socket);
  Object.assign(request.headers, headers);
  trusted.identify(request);
  return clientAddress(request);
}

const xff = (value: string): Record<string, string> => ({ 'x-forwarded-for': value });
const forwarded = (value: string): Record<string, string> => ({ forwarded: value });

it.each<[string, string]>([
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
])('without a proxy, %s counts as %s, whatever its headers contain', (peer, client) => {
  expect(clientOf(peer)).toBe(client);
  expect(clientOf(peer, { ...xff('203.0.113.9'), ...forwarded('for=203.0.113.9') })).toBe(client);
});

it.each<[string, Record<string, string>, string]>([
  ['one hop', xff('203.0.113.9'), '203.0.113.9'],
  ['hops from the client before it', xff('6.6.6.6, 203.0.113.9'), '203.0.113.9'],
  ['several proxies', xff('6.6.6.6, 203.0.113.9, 10.1.2.3, 2001:db8:ff::7'), '203.0.113.9'],
  ['only proxies', xff('10.9.9.9, 10.1.2.3'), '10.9.9.9'],
  ['a port', xff('203.0.113.9:4711'), '203.0.113.9'],
  ['IPv6', xff('2001:DB8:0:0:0::9'), '2001:db8:0:0::/64'],
  ['IPv6 with a port', xff('[2001:db8::9]:4711'), '2001:db8:0:0::/64'],
  ['an IPv4 address in IPv6', xff('::ffff:203.0.113.9'), '203.0.113.9'],
  ['a trusted IPv4 address in IPv6', xff('203.0.113.9, ::ffff:10.0.0.1'), '203.0.113.9'],
  ['Forwarded', forwarded('for=6.6.6.6;proto=http, For="203.0.113.9:80";by=10.0.0.1'), '203.0.113.9'],
  ['Forwarded with IPv6', forwarded('for="[2001:db8::9]:4711"'), '2001:db8:0:0::/64'],
  ['both headers with the same client', { ...xff('203.0.113.9'), ...forwarded('for=203.0.113.9') }, '203.0.113.9'],
])('a trusted proxy names the client: %s', (_, headers, client) => {
  expect(clientOf('10.0.0.1', headers)).toBe(client);
  expect(clientOf('::ffff:10.0.0.1', headers)).toBe(client);
});

it.each<[string, Record<string, string>, string]>([
  ['nothing', {}, '10.0.0.1'],
  ['an empty header', xff(''), '10.0.0.1'],
  ['an empty hop', xff('203.0.113.9, '), '10.0.0.1'],
  ['unknown', xff('203.0.113.9, unknown'), '10.0.0.1'],
  ['an invalid hop before a proxy', xff('203.0.113.9, junk, 10.7.7.7'), '10.7.7.7'],
  ['an address with a zone', xff('fe80::1%eth0'), '10.0.0.1'],
  ['an invalid IPv4 address', xff('1.2.3.400'), '10.0.0.1'],
  ['an obfuscated name', forwarded('for=203.0.113.9, for=_hidden'), '10.0.0.1'],
  ['no for', forwarded('for=203.0.113.9, proto=https'), '10.0.0.1'],
  ['an open quote before the hop of the proxy', forwarded('for="6.6.6.6, for=203.0.113.9'), '10.0.0.1'],
  ['a quote around the hop of the proxy', forwarded('for=6.6.6.6, x=", for="[2001:db8::9]"'), '10.0.0.1'],
  ['two `for` parameters in one hop', forwarded('for=6.6.6.6;for=203.0.113.9'), '10.0.0.1'],
  ['both headers with different clients', { ...xff('203.0.113.9'), ...forwarded('for=6.6.6.6') }, '10.0.0.1'],
])('with a header that names no client, the nearest proxy counts: %s', (_, headers, client) => {
  expect(clientOf('10.0.0.1', headers)).toBe(client);
});

it('a header of 16 kB is parsed in linear time', () => {
  const begun = performance.now();
  for (const text of [
    ' '.repeat(16_000),
    ','.repeat(16_000),
    `for="${'\\a'.repeat(8_000)}`,
    `for=${'1.'.repeat(8_000)}`,
    'a'.repeat(16_000),
  ]) {
    expect(clientOf('10.0.0.1', forwarded(`${text}x`))).toBe('10.0.0.1');
    expect(clientOf('10.0.0.1', xff(`${text}x`))).toBe('10.0.0.1');
  }
  expect(performance.now() - begun).toBeLessThan(1_000);
});

it('networks are IPv4 and IPv6 addresses with or without a prefix', () => {
  for (const network of ['10.0.0.0/8', '0.0.0.0/0', '192.0.2.1', '192.0.2.1/32', '::1', '2001:db8::/32', '::/0', '::1/128'])
    expect([network, isNetwork(network)]).toEqual([network, true]);
  for (const text of [
    '',
    'localhost',
    '10.0.0.0/33',
    '10.0.0.0/',
    '10.0.0/8',
    '::/129',
    '10.0.0.0/8/8',
    '10.0.0.0/-1',
    'fe80::1%eth0',
  ])
    expect([text, isNetwork(text)]).toEqual([text, false]);
});
