import type { IncomingMessage } from 'node:http';
import type { Session } from '../../reads/viewer.ts';
import { clientAddress } from '../messages/clientAddress.ts';

/**
 * Returns the name of the caller whose limits a request counts towards: the subject of its token, or the address of its client
 * if the subject is empty.
 */
export function callerName(request: IncomingMessage, { viewer: { subject } }: Session): string {
  return subject === '' ? clientAddress(request) : nameOf(subject);
}

/** The same for a client at this address, whose request is no longer in memory. */
export function callerNameAt(address: string, { viewer: { subject } }: Session): string {
  return subject === '' ? address : nameOf(subject);
}

const nameOf = (subject: string): string => `subject ${subject}`;
