import { lookup as systemLookup } from 'node:dns/promises';
import { BlockList, isIP, isIPv4 } from 'node:net';
import { badInput } from '../reads/errors.ts';

/** Why a receiver is not called. The message is for the owner of the webhook, and has no address. */
export class RefusedReceiver extends Error {
  override readonly name = 'RefusedReceiver';
}

/** An address that was checked. */
export interface CheckedAddress {
  readonly address: string;
  readonly family: 4 | 6;
}

/** All addresses of a host. Rejects if it has none. */
export type Lookup = (host: string) => Promise<readonly { readonly address: string; readonly family: number }[]>;

/** The longest URL, in characters. */
const longestUrl = 2_048;

/** The IPv4 networks that are not for the public (IANA IPv4 Special-Purpose Address Registry), multicast and reserved ones. */
const specialIPv4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
] as const;

/** The only public IPv6 network, and those within it that are special: protocol assignments with Teredo, documentation, and 6to4, which hides an IPv4 address. */
const publicIPv6 = '2000::/3';
const specialIPv6 = ['2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3fff::/20'] as const;

function listOf(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const text of networks) {
    const [network = '', prefix] = text.split('/');
    const family = isIPv4(network) ? 'ipv4' : 'ipv6';
    list.addSubnet(network, prefix === undefined ? (family === 'ipv4' ? 32 : 128) : Number(prefix), family);
  }
  return list;
}

const blockedIPv4 = listOf(specialIPv4);
const allowedIPv6 = listOf([publicIPv6]);
const blockedIPv6 = listOf(specialIPv6);

/** The host of a URL, without the brackets of an IPv6 address. */
const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '');

/** The guard of the receivers of webhooks. */
export type Network = ReturnType<typeof createNetwork>;

/**
 * Creates the guard against requests to networks that are not public. `networks` are those that the operator allows besides: there, `http` and other ports
 * than 443 are allowed too.
 */
export function createNetwork(networks: readonly string[], lookup: Lookup = (host) => systemLookup(host, { all: true })) {
  const listed = listOf(networks);
  const isListed = (address: string): boolean =>
    networks.length > 0 && listed.check(address, isIPv4(address) ? 'ipv4' : 'ipv6');

  function isPublic(address: string): boolean {
    if (isIPv4(address)) return !blockedIPv4.check(address, 'ipv4');
    return allowedIPv6.check(address, 'ipv6') && !blockedIPv6.check(address, 'ipv6');
  }

  /** Whether a receiver at this address may be called. Each address of a host must be allowed, because the next try may take another one. */
  function isAllowed({ protocol, port }: URL, address: string): boolean {
    if (isIP(address) === 0) return false;
    return isListed(address) || (isPublic(address) && protocol === 'https:' && port === '');
  }

  return {
    /** The URL of a receiver, normalized. Throws BAD_USER_INPUT. The addresses of its host are checked at each try, because they may change. */
    checkUrl(text: string): string {
      const bound =
        networks.length === 0 ? 'an https URL with the port 443' : 'an https URL, or an http URL in a listed network';
      const url = text.length <= longestUrl && URL.canParse(text) ? new URL(text) : undefined;
      if (url === undefined) throw badInput('url', text, `${bound}, of at most ${longestUrl} characters`);
      if (url.username !== '' || url.password !== '') throw badInput('url', '', 'a URL without credentials');
      const isKnown = url.protocol === 'https:' || (url.protocol === 'http:' && networks.length > 0);
      if (!isKnown || (url.port !== '' && networks.length === 0)) throw badInput('url', text, bound);
      const host = hostOf(url);
      if (isIP(host) !== 0 && !isAllowed(url, host)) throw badInput('url', text, 'a URL of a public address');
      return url.href;
    },
    /** Resolves the host once, and returns an address that may be connected to. Rejects with a {@link RefusedReceiver}. */
    async resolve(url: URL): Promise<CheckedAddress> {
      const host = hostOf(url);
      const family = isIP(host);
      const addresses =
        family !== 0
          ? [{ address: host, family }]
          : await lookup(host).catch(() => {
              throw new RefusedReceiver('The host of the URL cannot be resolved.');
            });
      const [first] = addresses;
      if (first === undefined) throw new RefusedReceiver('The host of the URL cannot be resolved.');
      if (!addresses.every(({ address }) => isAllowed(url, address)))
        throw new RefusedReceiver('The host of the URL has an address, or the URL a port, that is not allowed.');
      return { address: first.address, family: isIPv4(first.address) ? 4 : 6 };
    },
  };
}
