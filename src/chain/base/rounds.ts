/** Members that are visited at a regular interval. */
export interface Rounds<T> {
  /** Adds a member. Its first visit is about one interval later. */
  add(member: T): void;
  delete(member: T): void;
}

/** The number of groups that are visited one after another within an interval, so that the visits of many members are spread. */
const groupCount = 16;

/**
 * Creates an empty set of members. `visit` is called for each of them every `interval` milliseconds, and must not throw. One
 * timer serves all members, because a timer for each would take memory for as long as a stream or a WebSocket is open.
 */
export function createRounds<T>(interval: number, visit: (member: T) => void): Rounds<T> {
  const groups = Array.from({ length: groupCount }, () => new Set<T>());
  let timer: NodeJS.Timeout | undefined;
  let size = 0;
  /** The index of the group that was visited last. */
  let last = 0;

  function visitNext(): void {
    last = (last + 1) % groupCount;
    for (const member of groups[last] ?? []) visit(member);
  }

  return {
    add(member) {
      groups[last]?.add(member);
      size += 1;
      timer ??= setInterval(visitNext, interval / groupCount).unref();
    },
    delete(member) {
      if (!groups.some((group) => group.delete(member))) return;
      size -= 1;
      if (size > 0) return;
      clearInterval(timer);
      timer = undefined;
    },
  };
}
