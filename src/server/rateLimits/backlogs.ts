import type { Backlog, BacklogPlace } from '../../answers/caller.ts';
import type { Limits } from '../../config/limits/limits.ts';

/** Creates the count of the bytes of items. An item that is added several times is counted once. */
function createTally() {
  const entries = new Map<object, { readonly bytes: number; times: number }>();
  let sum = 0;
  return {
    bytes: () => sum,
    /** Number of different items. */
    items: () => entries.size,
    add(item: object, bytes: number): void {
      const entry = entries.get(item);
      if (entry !== undefined) {
        entry.times += 1;
        return;
      }
      entries.set(item, { bytes, times: 1 });
      sum += bytes;
    },
    remove(item: object): void {
      const entry = entries.get(item);
      if (entry === undefined) return;
      entry.times -= 1;
      if (entry.times > 0) return;
      entries.delete(item);
      sum -= entry.bytes;
    },
  };
}

interface Place {
  queued: number;
  sent: number;
  /** Each releases one item that the socket has not sent. */
  readonly releases: Set<() => void>;
  readonly shed: () => void;
  readonly destroy: () => void;
}

interface OwnBacklog extends Backlog {
  readonly tally: ReturnType<typeof createTally>;
  /**
   * Drops the largest queue. If nothing is queued, closes the connection with the most unsent bytes. Returns whether that freed
   * anything.
   */
  relieve(): boolean;
}

function largest<T>(all: Iterable<T>, size: (one: T) => number): T | undefined {
  let best: T | undefined;
  for (const one of all) if (size(one) > (best === undefined ? 0 : size(best))) best = one;
  return best;
}

/**
 * Creates the function that creates the backlog of a caller. Each backlog is limited to `subscriptions.bytes`, all together to
 * `subscriptions.processBytes`. If all together exceed their limit, the caller with the most bytes is cut. A single item is
 * always within both limits, whatever its size.
 */
export function createBacklogs(limits: Limits): () => Backlog {
  const all = createTally();
  const backlogs = new Set<OwnBacklog>();

  function createBacklog(): OwnBacklog {
    const tally = createTally();
    const places = new Set<Place>();

    function add(item: object, bytes: number): void {
      tally.add(item, bytes);
      all.add(item, bytes);
      backlogs.add(backlog);
    }

    function remove(item: object): void {
      tally.remove(item);
      all.remove(item);
      if (tally.items() === 0) backlogs.delete(backlog);
    }

    function settle(place: Place): void {
      if (place.queued + place.sent > 0) places.add(place);
      else places.delete(place);
    }

    const backlog: OwnBacklog = {
      tally,
      relieve() {
        const slowest = largest(places, ({ queued }) => queued);
        if (slowest !== undefined) {
          const before = slowest.queued;
          slowest.shed();
          return slowest.queued < before;
        }
        const stuck = largest(places, ({ sent }) => sent);
        if (stuck === undefined) return false;
        stuck.destroy();
        for (const release of [...stuck.releases]) release();
        return true;
      },
      open(ends): BacklogPlace {
        const place: Place = { queued: 0, sent: 0, releases: new Set(), ...ends };
        return {
          queue(item, bytes) {
            place.queued += bytes;
            settle(place);
            add(item, bytes);
            enforce(backlog);
          },
          unqueue(item, bytes) {
            place.queued -= bytes;
            settle(place);
            remove(item);
          },
          send(item, bytes) {
            place.sent += bytes;
            settle(place);
            add(item, bytes);
            const release = (): void => {
              if (!place.releases.delete(release)) return;
              place.sent -= bytes;
              settle(place);
              remove(item);
            };
            place.releases.add(release);
            enforce(backlog);
            return release;
          },
        };
      },
    };
    return backlog;
  }

  /** Enforces the limits on one backlog and on all together. */
  function enforce(ownBacklog: OwnBacklog): void {
    const [max, most] = [limits['subscriptions.bytes'], limits['subscriptions.processBytes']];
    while (max > 0 && ownBacklog.tally.bytes() > max && ownBacklog.tally.items() > 1) if (!ownBacklog.relieve()) return;
    while (most > 0 && all.bytes() > most && all.items() > 1) {
      const heaviest = largest(backlogs, ({ tally }) => tally.bytes());
      if (heaviest === undefined || !heaviest.relieve()) return;
    }
  }

  return createBacklog;
}
