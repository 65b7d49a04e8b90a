import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { BlockList, isIPv4, isIPv6 } from 'node:net';
import type { AnswerSource } from '../../answers/answerCache.ts';
import { type ProofRequest, proofHeader, quorumHeader, trustedHeader } from '../../answers/assurance.ts';
import { heightHeader, isNewest, minHeightHeader, type NamedHeights, timeHeader } from '../../answers/pickHeight.ts';
import { isLoopback } from '../../config/network.ts';
import { CollectedRequest } from './body.ts';

/**
 * The `Vary` header of surfaces whose requests name heights in headers. Without the height headers, a client's cache would
 * reuse a response for another height.
 */
export const varyByHeight = `Authorization, Origin, ${heightHeader}, ${timeHeader}, ${minHeightHeader}`;

/** The `Vary` header of surfaces whose requests may also ask for a proof or a quorum, and whose answers are compressed. */
export const varyOfAnswers = `${varyByHeight}, Accept-Encoding, ${proofHeader}, ${quorumHeader}`;

/**
 * Returns the height in the header `x-cosmos-block-height`. undefined if the header is absent or 0, which means the latest
 * height, as on a node.
 */
export function requestedHeight(request: IncomingMessage, header: string = heightHeader): string | undefined {
  const text = request.headers[header];
  return typeof text !== 'string' || isNewest(text) ? undefined : text;
}

/** The heights and the time in the headers of a request. */
export function heightsInHeaders(request: IncomingMessage): NamedHeights {
  const [time, minHeight] = [headerOf(request, timeHeader), headerOf(request, minHeightHeader)];
  return { height: requestedHeight(request), time, minHeight };
}

/** What the headers of a request ask for: a proof, and a number of nodes as text. Each undefined if they do not ask for it. */
export function assuranceInHeaders(headers: IncomingHttpHeaders): {
  readonly proof: ProofRequest | undefined;
  readonly quorum: string | undefined;
} {
  const { [trustedHeader]: trusted, [quorumHeader]: quorum } = headers;
  return {
    proof: headers[proofHeader] === '1' ? { trusted: typeof trusted === 'string' ? trusted : undefined } : undefined,
    quorum: typeof quorum === 'string' ? quorum : undefined,
  };
}

/** undefined if the header is absent or Node returns several values. */
export function headerOf(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name];
  return typeof value === 'string' ? value : undefined;
}

/** Returns the media type of a request's body in lower case. undefined without a `Content-Type` header. */
export function mediaTypeOf(request: IncomingMessage): string | undefined {
  const type = request.headers['content-type'];
  return type === 'application/json' ? type : type?.split(';', 1)[0]?.trim().toLowerCase();
}

/** `Cache-Status` (RFC 9211) of an answer by its source. A carried answer was executed at another height. */
export const cacheStatus: Readonly<Record<AnswerSource, string>> = {
  made: 'stele; fwd=miss',
  kept: 'stele; hit',
  carried: 'stele; hit; detail=carried',
};

/** Without the query. */
export function pathOf(request: IncomingMessage): string {
  const { url = '/' } = request;
  const end = url.indexOf('?');
  return end === -1 ? url : url.slice(0, end);
}

/** The IP address of a node identifier (RFC 7239, 6). Empty for `unknown`, obfuscated names and anything else. */
function addressOfNode(node: string): string {
  const bracketed = /^\[([0-9a-fA-F:.]+)\](?::[\w.-]+)?$/.exec(node);
  if (bracketed !== null) return bracketed[1] ?? '';
  const withPort = /^(\d{1,3}(?:\.\d{1,3}){3})(?::[\w.-]+)?$/.exec(node);
  if (withPort !== null) return withPort[1] ?? '';
  return /^[0-9a-fA-F:.]+$/.test(node) ? node : '';
}

/** One parameter of a `Forwarded` element and the separator after it (RFC 7239, 4). */
const parameter = /[ \t]*(?:([!#$%&'*+.^_`|~\w-]+)=(?:([!#$%&'*+.^_`|~\w-]+)|"((?:[^"\\]|\\.)*)")[ \t]*)?(;|,|$)/y;

/**
 * Returns the hops of a `Forwarded` header (RFC 7239), the nearest last. A header that does not parse as a whole, or names a parameter twice, has no
 * hops: otherwise, an open quote from a client could hide the part that a proxy appends.
 */
function hopsOf(value: string): readonly ReadonlyMap<string, string>[] {
  const hops: Map<string, string>[] = [];
  let hop = new Map<string, string>();
  parameter.lastIndex = 0;
  while (true) {
    const match = parameter.exec(value);
    if (match === null) return [];
    const [, name, token, quoted, separator] = match;
    if (name !== undefined) {
      if (hop.has(name.toLowerCase())) return [];
      hop.set(name.toLowerCase(), token ?? quoted?.replace(/\\(.)/g, '$1') ?? '');
    }
    if (separator === ';') continue;
    hops.push(hop);
    hop = new Map();
    if (separator === '') return hops;
  }
}

/** What the nearest proxy says about the URL that its client used. undefined if it does not say it. */
interface ForwardedUrl {
  readonly scheme: string | undefined;
  /** With the port, if it is not the default one. */
  readonly host: string | undefined;
}

const forwardedUrls = new WeakMap<IncomingMessage, ForwardedUrl>();

/** The origin in links if the `Host` header is invalid. */
const fallbackOrigin = 'http://localhost:4000';

const hostPattern = /^[\w.-]+(:\d{1,5})?$|^\[[0-9a-fA-F:]+\](:\d{1,5})?$/;

/** The value of two headers. A proxy that sets one header may pass on the other one as the client sent it, so both must agree. */
function agreed(one: string | undefined, other: string | undefined): string | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return one === other ? one : undefined;
}

function forwardedUrlOf({ headers }: IncomingMessage): ForwardedUrl {
  const last = (name: string): string | undefined =>
    String(headers[name] ?? '')
      .split(',')
      .at(-1)
      ?.trim() || undefined;
  const hop = hopsOf(headers.forwarded ?? '').at(-1);
  const scheme = agreed(last('x-forwarded-proto')?.toLowerCase(), hop?.get('proto')?.toLowerCase());
  const host = agreed(last('x-forwarded-host'), hop?.get('host'));
  return {
    scheme: scheme === 'https' || scheme === 'http' ? scheme : undefined,
    host: host !== undefined && hostPattern.test(host) ? host : undefined,
  };
}

/** The host that the client of a request named: that of a trusted proxy, else the `Host` header. Empty if there is none. */
export function publicHost(request: IncomingMessage): string {
  return forwardedUrls.get(request)?.host ?? request.headers.host ?? '';
}

/** The origin that the client of a request used, for links: scheme and host as a trusted proxy names them, else `http` and the `Host` header. */
export function publicOrigin(request: IncomingMessage): string {
  const host = publicHost(request);
  return hostPattern.test(host) ? `${forwardedUrls.get(request)?.scheme ?? 'http'}://${host}` : fallbackOrigin;
}

/** The origin that a trusted proxy names in full. undefined for other requests. */
export function forwardedOrigin(request: IncomingMessage): string | undefined {
  const { scheme, host } = forwardedUrls.get(request) ?? {};
  return scheme === undefined || host === undefined ? undefined : `${scheme}://${host}`;
}

/** The proxies whose forwarding headers are trusted. */
export type TrustedProxies = ReturnType<typeof createTrustedProxies>;

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
 * assign a /64 to one customer. Empty if the text is not an IP address.
 */
export function networkOf(address: string): string {
  const normal = normalize(address) ?? '';
  if (!isIPv6(normal)) return normal;
  const [left = '', right] = normal.split('::');
  const before = left === '' ? [] : left.split(':');
  const after = right === undefined || right === '' ? [] : right.split(':');
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => '0');
  return `${[...before, ...zeros, ...after].slice(0, 4).join(':')}::/64`;
}

/**
 * Returns the address of the client that sent a request, for every limit by address: the IPv4 address, or the /64 network of
 * the IPv6 address. The client is the peer of the connection, or the client that a trusted proxy names.
 */
export function clientAddress(request: IncomingMessage): string {
  // The address of most connections was found when they were accepted.
  if (request instanceof CollectedRequest && request.client !== undefined) return request.client;
  return forwardedClients.get(request) ?? networkOf(request.socket.remoteAddress ?? '');
}

/**
 * Returns the first address from the right that is not a trusted proxy. `nodes` are the node identifiers of a header, the nearest
 * last. One without an address ends the search at the proxy that added it.
 */
function clientAmong(peer: string, nodes: readonly string[], isTrusted: (address: string) => boolean): string {
  let client = peer;
  for (const node of nodes.toReversed()) {
    if (!isTrusted(client)) break;
    const address = normalize(addressOfNode(node));
    if (address === undefined) break;
    client = address;
  }
  return client;
}

/** `networks` are such that `isNetwork` accepts. */
export function createTrustedProxies(networks: readonly string[]) {
  const list = new BlockList();
  for (const text of networks) {
    const [network = '', prefix] = text.split('/');
    const family = isIPv4(network) ? 'ipv4' : 'ipv6';
    list.addSubnet(network, prefix === undefined ? (family === 'ipv4' ? 32 : 128) : Number(prefix), family);
  }
  const isTrusted = (address: string): boolean => list.check(address, isIPv4(address) ? 'ipv4' : 'ipv6');

  return {
    /** Whether the peer of a connection is a trusted proxy. */
    includes(address: string | undefined): boolean {
      if (networks.length === 0 || address === undefined) return false;
      const peer = normalize(address);
      return peer !== undefined && isTrusted(peer);
    },
    /**
     * Reads the client of a request, and the URL that it used, from the headers of a trusted proxy. Call it once for each request,
     * before {@link clientAddress} and `publicOrigin`.
     */
    identify(request: IncomingMessage): void {
      if (networks.length === 0) return;
      const peer = normalize(request.socket.remoteAddress ?? '');
      if (peer === undefined || !isTrusted(peer)) return;
      forwardedUrls.set(request, forwardedUrlOf(request));
      const { forwarded, 'x-forwarded-for': xForwardedFor } = request.headers;
      const hops = [
        forwarded === undefined ? undefined : hopsOf(forwarded).map((hop) => hop.get('for') ?? ''),
        xForwardedFor === undefined
          ? undefined
          : String(xForwardedFor)
              .split(',')
              .map((hop) => hop.trim()),
      ];
      const clients = hops.flatMap((nodes) => (nodes === undefined ? [] : [networkOf(clientAmong(peer, nodes, isTrusted))]));
      const [client] = clients;
      // A proxy that sets one of the two headers may pass on the other one as the client sent it. If they differ, neither is
      // used.
      if (client !== undefined && clients.every((other) => other === client)) forwardedClients.set(request, client);
    },
  };
}

const proxyHeaders: readonly string[] = ['forwarded', 'via', 'x-real-ip'];

function isProxied({ headers }: IncomingMessage): boolean {
  return Object.keys(headers).some((name) => proxyHeaders.includes(name) || name.startsWith('x-forwarded'));
}

/**
 * Whether a request was sent to a loopback name, and not through a proxy. This stops DNS rebinding: a page of another site
 * whose name resolves to this machine is same-origin for the browser, but the `Host` header of its requests is the name of that
 * site.
 */
export function isLocalRequest(request: IncomingMessage): boolean {
  const { host = '' } = request.headers;
  if (isProxied(request)) return false;
  if (!URL.canParse(`http://${host}`)) return false;
  const { hostname } = new URL(`http://${host}`);
  return isLoopback(hostname) || hostname.endsWith('.localhost');
}
