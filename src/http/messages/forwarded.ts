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

/**
 * Returns the addresses of the `for` parameters of a `Forwarded` header (RFC 7239), the nearest hop last. A hop without an
 * address is an empty string. A header that does not parse as a whole has no hops: otherwise, an open quote from a client could
 * hide the part that a proxy appends.
 */
export function forwardedHops(value: string): readonly string[] {
  const hops: string[] = [];
  let hop: string | undefined;
  parameter.lastIndex = 0;
  while (true) {
    const match = parameter.exec(value);
    if (match === null) return [];
    const [, name, token, quoted, separator] = match;
    if (name?.toLowerCase() === 'for') {
      if (hop !== undefined) return [];
      hop = addressOfNode(token ?? quoted?.replace(/\\(.)/g, '$1') ?? '');
    }
    if (separator === ';') continue;
    hops.push(hop ?? '');
    hop = undefined;
    if (separator === '') return hops;
  }
}
