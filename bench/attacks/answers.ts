import { subscribe } from 'node:diagnostics_channel';

const counts = new Map<string, number>();

/** Counts a response by its status, or by the error in its place. */
export function noteAnswer(kind: string | number): void {
  counts.set(String(kind), (counts.get(String(kind)) ?? 0) + 1);
}

/** The responses so far, by kind. */
export function answers(): Readonly<Record<string, number>> {
  return Object.fromEntries(counts);
}

/**
 * Counts the responses to all requests through `fetch` and its library from now on. Attacks that write to sockets count their
 * responses themselves.
 */
export function countFetched(): void {
  subscribe('undici:request:headers', (message) => {
    const { response } = Object(message);
    noteAnswer(Object(response).statusCode);
  });
  subscribe('undici:request:error', (message) => {
    const { error } = Object(message);
    const { code, name } = Object(error);
    noteAnswer(typeof code === 'string' ? code : String(name));
  });
}
