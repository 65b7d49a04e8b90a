import { TotalWait } from '../../chain/state/stateEntries.ts';
import type { Awaitable } from '../../reads/pin.ts';
import type { BucketUpdate, Counted, SharedStore } from '../../shared/sharedStore.ts';

/**
 * A full bucket of `size` tokens that gains `perMinute` tokens each minute. If `perMinute` is 0, it never runs out. It is a class
 * because every WebSocket has one: a function for each method would take half a kilobyte.
 */
export class TokenBucket {
  readonly size: number;
  readonly #perMinute: number;
  readonly #now: () => number;
  #tokens: number;
  #filled: number;
  #unreported = 0;

  /** `now` is a clock in ms. */
  constructor(size: number, perMinute: number, now: () => number) {
    this.size = size;
    this.#perMinute = perMinute;
    this.#now = now;
    this.#tokens = size;
    this.#filled = now();
  }

  #fill(): void {
    const time = this.#now();
    this.#tokens = Math.min(this.size, this.#tokens + ((time - this.#filled) * this.#perMinute) / 60_000);
    this.#filled = time;
  }

  /** Returns the ms until that many tokens can be taken, 0 if they can be taken now. Takes none. */
  wait(wantedTokens: number): number {
    if (this.#perMinute === 0 || wantedTokens === 0) return 0;
    this.#fill();
    return Math.max(0, ((Math.min(wantedTokens, this.size) - this.#tokens) * 60_000) / this.#perMinute);
  }

  /**
   * Takes tokens. Returns 0 if they were available, else takes none and returns the ms until they will be. More tokens than the
   * size can be taken from a full bucket. The level is then negative, down to minus the size.
   */
  take(wantedTokens: number): number {
    if (this.#perMinute === 0 || wantedTokens === 0) return 0;
    const wait = this.wait(wantedTokens);
    if (wait > 0) return wait;
    this.takeAvailable(wantedTokens);
    return 0;
  }

  /** Takes tokens that {@link wait} has just found to be available. */
  takeAvailable(wantedTokens: number): void {
    if (this.#perMinute === 0) return;
    this.#tokens = Math.max(this.#tokens - wantedTokens, -this.size);
    this.#unreported += wantedTokens;
  }

  /** Takes tokens that are already used, whether or not they are available. The level does not fall below minus the size. */
  charge(usedTokens: number): void {
    if (this.#perMinute === 0) return;
    this.#fill();
    this.#tokens = Math.max(-this.size, this.#tokens - usedTokens);
    this.#unreported += usedTokens;
  }

  /** Returns the number of available tokens. Negative after more tokens than available were taken. */
  level(): number {
    this.#fill();
    return this.#perMinute === 0 ? this.size : this.#tokens;
  }

  /** Returns tokens that were taken and not used. */
  giveBack(returned: number): void {
    if (this.#perMinute === 0) return;
    this.#fill();
    this.#tokens = Math.min(this.size, this.#tokens + returned);
    this.#unreported -= returned;
  }

  /** Whether the bucket is full, like a new one. */
  isFull(): boolean {
    this.#fill();
    return this.#perMinute === 0 || this.#tokens === this.size;
  }

  /** Whether the bucket ever runs out. */
  isLimited(): boolean {
    return this.#perMinute > 0;
  }

  /** Tokens that were taken, less those that were given back, which have not been reported to other processes. */
  unreported(): number {
    return this.#unreported;
  }

  /** Returns what has not been reported, and counts it as reported. */
  report(): Omit<BucketUpdate, 'wanted'> {
    this.#fill();
    const usedTokens = Math.max(-this.size, Math.min(2 * this.size, this.#unreported));
    this.#unreported = 0;
    return {
      used: usedTokens,
      known: Math.min(this.size, this.#tokens + usedTokens),
      size: this.size,
      perMinute: this.#perMinute,
    };
  }

  /** Counts it as not reported again: the update did not reach the other processes. */
  unreport(usedTokens: number): void {
    this.#unreported += usedTokens;
  }

  /**
   * Sets the level to that of all processes, less what has not been reported. If they have lost the bucket (`isLost`), the level does not
   * rise, and the difference is reported.
   */
  learn(level: number, isLost: boolean): void {
    this.#fill();
    const learnt = Math.max(-this.size, Math.min(this.size, level - this.#unreported));
    if (isLost && learnt > this.#tokens) this.#unreported += learnt - this.#tokens;
    else this.#tokens = learnt;
  }
}

/** The slots of limits that a caller has taken in this process, and in others. */
export interface Places<L extends string> {
  readonly used: Record<L, number>;
  readonly elsewhere: Partial<Record<L, number>>;
}

/** What is taken from a bucket. */
export interface Take {
  readonly bucket: TokenBucket;
  readonly amount: number;
  /** Whether the limit is exact over all processes, so that each amount is taken in the store first. Default: a little may be taken before the others know. */
  readonly isExact?: boolean;
}

/** A bucket that has too little left, and the ms until it has enough. */
export interface Lack {
  readonly bucket: TokenBucket;
  readonly milliseconds: number;
}

/** The counters of one caller that all processes share. */
export interface SharedCounter {
  /**
   * Takes all of these amounts, or nothing. Returns the first bucket that has too little, else undefined. It is a promise while the amounts are taken in
   * the store: exact ones, and others if this process has taken a hundredth of the limit that the others do not know yet. If the store does not answer in
   * time, the amounts are taken in this process.
   */
  take(takes: readonly Take[]): Awaitable<Lack | undefined>;
  /** Takes all of these amounts in this process, or nothing, and reports them. */
  takeHere(takes: readonly Take[]): Lack | undefined;
  /** Notes that a counter has changed: the other processes learn it soon. */
  changed(): void;
  /** Resolves when this process knows what the others have used, and after a part of `shared.wait` at the latest. Undefined if it does. */
  fresh(): Promise<void> | undefined;
}

/** Creates the counters of callers that processes share. */
export interface SharedCounters {
  /** `places` are the limits whose slots are shared, with their maximum; 0 is no maximum. Undefined if nothing is shared or limited. */
  of<L extends string>(options: {
    readonly name: string;
    readonly buckets: readonly TokenBucket[];
    readonly places: Places<L>;
    readonly max: Readonly<Partial<Record<L, number>>>;
    /** Whether {@link SharedCounter.fresh} always asks. For counters with small limits that are used rarely. Default false. */
    readonly isExact?: boolean;
  }): SharedCounter | undefined;
  /** Ends the updates. */
  close(): void;
}

/** The part of a limit that a process may use before the others learn it: ten processes exceed a limit by a tenth at most. */
const unreportedPart = 0.01;

/** The longest time until others learn what was used, in ms. */
const longestUnreported = 50;

/** How old the knowledge of a caller may be, in ms: of one with more than a quarter of a limit left, and of others. */
const longestAge = { plenty: 1_000, scarce: 10 } as const;

/** How often the slots of a caller are reported again, in ms, so that they keep counting. */
const repeatTime = 5_000;

/** Takes all of these amounts in this process, or nothing. Returns the first bucket that has too little, else undefined. */
export function takeAll(takes: readonly Take[]): Lack | undefined {
  for (const { bucket, amount } of takes) {
    const milliseconds = bucket.wait(amount);
    if (milliseconds > 0) return { bucket, milliseconds };
  }
  for (const { bucket, amount } of takes) bucket.takeAvailable(amount);
  return undefined;
}

/** Counters of callers in this process only. */
export const noSharedCounters: SharedCounters = { of: () => undefined, close: () => undefined };

/**
 * Creates the counters of callers that processes share through a store. A process decides by what it knows, and reports to the others what
 * it admits: at once if that is a hundredth of the limit, otherwise within 50 ms. What exceeds that hundredth before the others know it, and amounts that
 * are exact, are taken in the store first. While the store cannot be used, the limits hold in
 * each process. `waits` are in ms: `exact` to take what is exact, `counters` for the rest. `now` is a monotonic clock in ms.
 */
export function createSharedCounters(
  store: SharedStore,
  {
    waits,
    now = () => performance.now(),
  }: { readonly waits: Readonly<Record<'counters' | 'exact', number>>; readonly now?: () => number },
): SharedCounters {
  /** The callers with slots, which are reported again. */
  const holding = new Set<() => void>();
  const timer = setInterval(() => {
    for (const report of [...holding]) report();
  }, repeatTime).unref();

  return {
    of({ name, buckets, places, max, isExact = false }) {
      const rates = buckets.filter((bucket) => bucket.isLimited());
      const limited = Object.entries<number | undefined>(max).flatMap(([key, most]) =>
        most === undefined || most === 0 ? [] : [{ key, most }],
      );
      if (rates.length === 0 && limited.length === 0) return undefined;
      const { used, elsewhere }: { used: Readonly<Record<string, number>>; elsewhere: Record<string, number | undefined> } =
        places;
      let knownAt = Number.NEGATIVE_INFINITY;
      let version: string | undefined;
      let reported: readonly number[] = limited.map(() => 0);
      let running: Promise<void> | undefined;
      let delay: NodeJS.Timeout | undefined;
      /** Whether the store has not answered in time, and not since: no other request waits for it. */
      let isLate = false;
      /** What was reported of each bucket in updates that the store has not answered yet. */
      const onTheWay = new Map<TokenBucket, number>();

      const takenSlots = (): readonly number[] => limited.map(({ key }) => used[key] ?? 0);

      function learn(countedLimits: Counted): void {
        const isSame = version === undefined || version === countedLimits.version;
        for (const [index, bucket] of rates.entries()) bucket.learn(countedLimits.levels[index] ?? 0, !isSame);
        for (const [index, { key }] of limited.entries()) elsewhere[key] = countedLimits.elsewhere[index] ?? 0;
        version = countedLimits.version;
        knownAt = now();
      }

      /** Reports what was used, and takes what is wanted. Returns whether it was taken; undefined if the store cannot be used. */
      async function report(takes: readonly Take[] = []): Promise<boolean | undefined> {
        clearTimeout(delay);
        delay = undefined;
        const ownSlots = takenSlots();
        const amountOf = (bucket: TokenBucket): number => takes.find((each) => each.bucket === bucket)?.amount ?? 0;
        const updates = rates.map((bucket) => ({ ...bucket.report(), wanted: amountOf(bucket) }));
        const note = (sign: 1 | -1): void => {
          for (const [index, bucket] of rates.entries()) {
            onTheWay.set(bucket, (onTheWay.get(bucket) ?? 0) + sign * (updates[index]?.used ?? 0));
          }
        };
        note(1);
        const storeCounts = await store.count({ name, buckets: updates, places: ownSlots });
        note(-1);
        isLate = false;
        if (storeCounts === undefined) {
          for (const [index, bucket] of rates.entries()) bucket.unreport(updates[index]?.used ?? 0);
          for (const { key } of limited) elsewhere[key] = 0;
          return undefined;
        }
        reported = ownSlots;
        if (ownSlots.some((count) => count > 0)) holding.add(again);
        else holding.delete(again);
        learn(storeCounts);
        return storeCounts.isGranted;
      }

      function update(): Promise<void> {
        running ??= report().then((isGranted) => {
          running = undefined;
          if (isGranted !== undefined && isNoticeable()) void update();
        });
        return running;
      }

      const again = (): void => void update();

      /** Whether others should learn at once what they do not know yet. */
      function isNoticeable(): boolean {
        if (!store.isUsable()) return false;
        if (rates.some((bucket) => Math.abs(bucket.unreported()) > bucket.size * unreportedPart)) return true;
        return takenSlots().some(
          (count, index) => Math.abs(count - (reported[index] ?? 0)) > (limited[index]?.most ?? 0) * unreportedPart,
        );
      }

      function isScarce(): boolean {
        if (rates.some((bucket) => bucket.level() < bucket.size / 4)) return true;
        return limited.some(({ key, most }) => (used[key] ?? 0) + (elsewhere[key] ?? 0) > (most * 3) / 4);
      }

      function changed(): void {
        if (!store.isUsable()) return;
        if (isNoticeable()) void update();
        else
          delay ??= setTimeout(() => {
            delay = undefined;
            void update();
          }, longestUnreported).unref();
      }

      function takeHere(takes: readonly Take[]): Lack | undefined {
        const lack = takeAll(takes);
        changed();
        return lack;
      }

      /** Whether the store has to decide. */
      function isForStore({ bucket, amount, isExact = false }: Take): boolean {
        if (amount === 0 || !bucket.isLimited()) return false;
        return isExact || bucket.unreported() + (onTheWay.get(bucket) ?? 0) + amount > bucket.size * unreportedPart;
      }

      async function takeInStore(takes: readonly Take[]): Promise<Lack | undefined> {
        const reporting = report(takes);
        const isExact = takes.some((each) => each.isExact === true && each.amount > 0);
        const isGranted = await new TotalWait().within(isExact ? waits.exact : waits.counters, () => reporting);
        if (isGranted === true) return undefined;
        if (isGranted === undefined) {
          const lack = takeHere(takes);
          isLate = true;
          void reporting.then((isTaken) => {
            // The store has taken the same amounts.
            if (isTaken === true && lack === undefined) for (const { bucket, amount } of takes) bucket.giveBack(amount);
          });
          return lack;
        }
        const lacking = takes.find(({ bucket, amount }) => bucket.wait(amount) > 0) ?? takes[0];
        // A bucket may have gained just enough since the store decided.
        return lacking && { bucket: lacking.bucket, milliseconds: Math.max(1, lacking.bucket.wait(lacking.amount)) };
      }

      return {
        take: (takes) => (store.isUsable() && !isLate && takes.some(isForStore) ? takeInStore(takes) : takeHere(takes)),
        takeHere,
        changed,
        fresh() {
          if (!store.isUsable()) return undefined;
          const age = now() - knownAt;
          const updated = async (): Promise<void> => {
            const ownUpdate = update();
            await new TotalWait().within(waits.counters, () => ownUpdate);
            if (running === ownUpdate) isLate = true;
          };
          if (isExact) return updated();
          if (age <= longestAge.scarce || (age <= longestAge.plenty && !isScarce())) return undefined;
          return updated();
        },
      };
    },
    close: () => clearInterval(timer),
  };
}
