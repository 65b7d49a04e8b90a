import type { IncomingMessage } from 'node:http';
import { BlockList, isIPv4, isIPv6 } from 'node:net';
import { forwardedHops, xForwardedForHops } from './forwarded.ts';
import { believeForwardedUrl } from './publicUrl.ts';

/** The proxies whose forwarding headers are trusted. */
export interface TrustedProxies {
  /** Whether the peer of a connection is a trusted proxy. */
  includes(address: string | undefined): boolean;
  /**
   * Reads the client of a request, and the URL that it used, from the headers of a trusted proxy. Call it once for each request, before
   * {@link clientAddress} and `publicOrigin`.
   */
  identify(request: IncomingMessage): void;
}

/**
 * The clients of requests that came through trusted proxies. For all other requests, the client is the peer of the connection.
 */
const forwardedClients = new WeakMap<IncomingMessage, string>();

/**
 * Returns the IPv4 address that an IPv6 address maps (RFC 4291, 2.5.5.2), or the address in its shortest form. undefined if the
 * text is not an IP address.
 */
function normalize(address: string): string | undefined {
  if (isIPv4(address)) return address;
  // A zone (`fe80::1%eth0`) is only meaningful on the machine itself.
  const plain = address.split('%', 1)[0] ?? '';
  if (!isIPv6(plain)) return undefined;
  const short = new URL(`http://[${plain}]`).hostname.slice(1, -1);
  const mapped = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(short);
  if (mapped === null) return short;
  const [high = 0, low = 0] = mapped.slice(1).map((group) => Number.parseInt(group, 16));
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

/**
 * Returns the unit of the limits by address: an IPv4 address, or the /64 network of an IPv6 address, because providers commonly
 * assign a /64 to one customer.
 */
function networkOf(address: string): string {
  const normal = normalize(address) ?? '';
  if (!isIPv6(normal)) return normal;
  const [left = '', right] = normal.split('::');
  const before = left === '' ? [] : left.split(':');
  const after = right === undefined || right === '' ? [] : right.split(':');
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => '0');
  return `${[...before, ...zeros, ...after].slice(0, 4).join(':')}::/64`;
}

/** Returns the network of the peer of a connection, or an empty string if the connection is already closed. */
export function peerAddress({ remoteAddress = '' }: { readonly remoteAddress?: string | undefined }): string {
  return isIPv4(remoteAddress) ? remoteAddress : networkOf(remoteAddress);
}

/**
 * Returns the address of the client that sent a request, for every limit by address: the IPv4 address, or the /64 network of
 * the IPv6 address. The client is the peer of the connection, or the client that a trusted proxy names.
 */
export function clientAddress(request: IncomingMessage): string {
  return forwardedClients.get(request) ?? peerAddress(request.socket);
}

/**
 * Returns the first address from the right that is not a trusted proxy. A hop without an address ends the search at the proxy
 * that added it.
 */
function clientAmong(peer: string, hops: readonly string[], isTrusted: (address: string) => boolean): string {
  let client = peer;
  for (const hop of hops.toReversed()) {
    if (!isTrusted(client)) break;
    const address = normalize(hop);
    if (address === undefined) break;
    client = address;
  }
  return client;
}

/** Creates the list of trusted proxies from networks that `isNetwork` accepts. */
export function createTrustedProxies(networks: readonly string[]): TrustedProxies {
  const list = new BlockList();
  for (const text of networks) {
    const [network = '', prefix] = text.split('/');
    const family = isIPv4(network) ? 'ipv4' : 'ipv6';
    list.addSubnet(network, prefix === undefined ? (family === 'ipv4' ? 32 : 128) : Number(prefix), family);
  }
  const isTrusted = (address: string): boolean => list.check(address, isIPv4(address) ? 'ipv4' : 'ipv6');

  return {
    includes(address) {
      if (networks.length === 0 || address === undefined) return false;
      const peer = normalize(address);
      return peer !== undefined && isTrusted(peer);
    },
    identify(request) {
      if (networks.length === 0) return;
      const peer = normalize(request.socket.remoteAddress ?? '');
      if (peer === undefined || !isTrusted(peer)) return;
      believeForwardedUrl(request);
      const { forwarded, 'x-forwarded-for': xForwardedFor } = request.headers;
      const named = [
        ...(forwarded === undefined ? [] : [clientAmong(peer, forwardedHops(forwarded), isTrusted)]),
        ...(xForwardedFor === undefined ? [] : [clientAmong(peer, xForwardedForHops(String(xForwardedFor)), isTrusted)]),
      ].map(networkOf);
      const [client] = named;
      // A proxy that sets one of the two headers may pass on the other one as the client sent it. If they differ, neither is
      // used.
      if (client !== undefined && named.every((other) => other === client)) forwardedClients.set(request, client);
    },
  };
}
