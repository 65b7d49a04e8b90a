import type { IncomingHttpHeaders } from 'node:http';

/**
 * Returns the IP address of a node identifier (RFC 7239, 6) without port and brackets. Empty for `unknown`, obfuscated names
 * and anything else.
 */
function addressOfNode(node: string): string {
  const bracketed = /^\[([0-9a-fA-F:.]+)\](?::[\w.-]+)?$/.exec(node);
  if (bracketed !== null) return bracketed[1] ?? '';
  const withPort = /^(\d{1,3}(?:\.\d{1,3}){3})(?::[\w.-]+)?$/.exec(node);
  if (withPort !== null) return withPort[1] ?? '';
  return /^[0-9a-fA-F:.]+$/.test(node) ? node : '';
}

/** Returns the addresses of an `X-Forwarded-For` header, the nearest hop last. A hop without an address is an empty string. */
export function xForwardedForHops(value: string): readonly string[] {
  return value.split(',').map((hop) => addressOfNode(hop.trim()));
}

/** One parameter of a `Forwarded` element and the separator after it (RFC 7239, 4). */
const parameter = /[ \t]*(?:([!#$%&'*+.^_`|~\w-]+)=(?:([!#$%&'*+.^_`|~\w-]+)|"((?:[^"\\]|\\.)*)")[ \t]*)?(;|,|$)/y;

/** The parameters of one hop in a `Forwarded` header, by their names in lower case. */
type Hop = ReadonlyMap<string, string>;

/**
 * Returns the hops of a `Forwarded` header (RFC 7239), the nearest last. A header that does not parse as a whole, or names a parameter twice, has no
 * hops: otherwise, an open quote from a client could hide the part that a proxy appends.
 */
function hopsOf(value: string): readonly Hop[] {
  const hops: Hop[] = [];
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

/**
 * Returns the addresses of the `for` parameters of a `Forwarded` header, the nearest hop last. A hop without an address is an empty string.
 */
export function forwardedHops(value: string): readonly string[] {
  return hopsOf(value).map((hop) => addressOfNode(hop.get('for') ?? ''));
}

/** What the headers of a proxy say about the URL that its client used. undefined if they do not say it. */
export interface ForwardedUrl {
  readonly scheme: string | undefined;
  /** With the port, if it is not the default one. */
  readonly host: string | undefined;
}

/** What the nearest hop of a `Forwarded` header says about the URL. */
export function forwardedUrl(value: string): ForwardedUrl {
  const hop = hopsOf(value).at(-1);
  return { scheme: hop?.get('proto')?.toLowerCase(), host: hop?.get('host') };
}

/** What the nearest hop of `X-Forwarded-Proto` and `X-Forwarded-Host` says about the URL. */
export function xForwardedUrl(headers: IncomingHttpHeaders): ForwardedUrl {
  const last = (name: string): string | undefined =>
    String(headers[name] ?? '')
      .split(',')
      .at(-1)
      ?.trim() || undefined;
  return { scheme: last('x-forwarded-proto')?.toLowerCase(), host: last('x-forwarded-host') };
}
