import type { WebhookEvent } from './streams.ts';

/** The events that wait in the queues of a server. One that waits in several queues is in memory once, and counts once. */
export interface Backlog {
  hold(event: WebhookEvent): void;
  release(event: WebhookEvent): void;
  /** Whether the events have more bytes than they may. */
  isFull(): boolean;
  bytes(): number;
}

export function createBacklog(maxBytes: number): Backlog {
  const holders = new Map<WebhookEvent, number>();
  let bytes = 0;

  return {
    hold(event) {
      const count = holders.get(event) ?? 0;
      if (count === 0) bytes += event.bytes;
      holders.set(event, count + 1);
    },
    release(event) {
      const count = holders.get(event) ?? 0;
      if (count > 1) {
        holders.set(event, count - 1);
        return;
      }
      if (holders.delete(event)) bytes -= event.bytes;
    },
    isFull: () => bytes > maxBytes,
    bytes: () => bytes,
  };
}
