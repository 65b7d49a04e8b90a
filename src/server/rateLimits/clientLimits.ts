import type { Caller, Refused } from '../../answers/caller.ts';

/** A taken slot of a limit, which is free again once `end` was called. */
export interface Slot {
  end(): void;
}

/** The limits of one caller: those of its operations, and those of its requests and connections. */
export interface ClientLimits extends Caller {
  /** Takes a slot of `rate.concurrent`, until `end` is called. Further calls of `end` do nothing. */
  enter(): Refused | { end(): void };
  /** Takes a slot of `socket.connections`, until `end` is called. */
  connect(): Refused | { end(): void };
  /**
   * Resolves when this process knows what the caller has used at other processes, within `shared.wait`. Undefined if it does, or if nothing
   * is shared.
   */
  fresh(): Promise<void> | undefined;
  /** The name that its turns are taken under. */
  readonly name: string;
  /**
   * Waits for a slot of `rate.bodies` to read a large body. Resolves to the function that releases the slot, which may be
   * called several times.
   */
  readingBody(): Promise<() => void>;
}
