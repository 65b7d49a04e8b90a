import type { Session } from '../../reads/viewer.ts';
import type { ClientLimits } from './clientLimits.ts';
import type { Rates } from './rates.ts';

/**
 * Returns the limits that a request from an address counts towards: those of the subject of its token, or of the address if the
 * subject is empty. Anybody can have a token of a public client, so such a client has limits for each address, and in total.
 */
export function callerOf(rates: Rates, address: string, { viewer }: Session): ClientLimits {
  if (viewer.isPublic === true) return rates.ofPublicClient(viewer.clientId, address);
  return viewer.subject === '' ? rates.of(address) : rates.ofSubject(viewer);
}
