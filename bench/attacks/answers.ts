import { subscribe } from 'node:diagnostics_channel';

const counts = new Map<string, number>();

/** Counts an answer that this process got: by its status, or by what came instead of one. */
export function noteAnswer(kind: string | number): void {
  counts.set(String(kind), (counts.get(String(kind)) ?? 0) + 1);
}

/** The answers so far, by kind. */
export function answers(): Readonly<Record<string, number>> {
  return Object.fromEntries(counts);
}

/** Counts from now on the answers to all that goes through `fetch` and its library. What an attack writes to sockets it counts itself. */
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
