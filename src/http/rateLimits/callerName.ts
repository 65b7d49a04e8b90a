import type { IncomingMessage } from 'node:http';
import type { Session } from '../../reads/viewer.ts';
import { clientAddress } from '../messages/clientAddress.ts';

/** Whose limits a request counts towards: the subject of its token, else the address of its client. */
export function callerName(request: IncomingMessage, { viewer: { subject } }: Session): string {
  return subject === '' ? clientAddress(request) : `subject ${subject}`;
}
