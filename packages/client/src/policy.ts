import { retriesOf } from './codes.ts';
import type { SteleError } from './errors.ts';

/** Close codes of a WebSocket after a message that the server does not accept, such as one that is too large. Another stream may have sent it. */
const refusedMessage: readonly unknown[] = [1009, 4400, 4401, 4406, 4409];

/** Reasons of MEMPOOL_REJECTED that pass: the mempool is full or busy. */
const passing: readonly unknown[] = ['FULL', 'RECHECKING'];

/** How often a stream may fail with an error like this, without an event in between, before it ends. */
export function retriesAfter({ code, facts }: SteleError): number {
  if (code === 'MEMPOOL_REJECTED' && passing.includes(facts.reason)) return Number.POSITIVE_INFINITY;
  return refusedMessage.includes(facts.closeCode) ? 3 : retriesOf[code];
}
