import type { IncomingMessage } from 'node:http';
import { isIPv6 } from 'node:net';
import type { Session } from '../graphql/viewer.ts';

/** The address that a request came from; of IPv6 the network of 64 bits, which is what one customer has. */
export function addressOf({ socket: { remoteAddress = '' } }: IncomingMessage): string {
  if (!isIPv6(remoteAddress) || remoteAddress.startsWith('::ffff:')) return remoteAddress;
  const [high = '', low = ''] = remoteAddress.split('::');
  const left = high.split(':');
  const missing = remoteAddress.includes('::') ? 8 - left.length - low.split(':').length : 0;
  const groups = [...left, ...Array.from({ length: missing }, () => '0'), ...low.split(':')];
  return `${groups.slice(0, 4).join(':')}::/64`;
}

/** Whose limits a request counts towards: the subject of its token, else its address. */
export function callerName(request: IncomingMessage, { viewer: { subject } }: Session): string {
  return subject === '' ? addressOf(request) : `subject ${subject}`;
}
