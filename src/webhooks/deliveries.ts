import { randomUUID } from 'node:crypto';
import { integerAt, type Row, type Sql, textAt } from '../archive/database/database.ts';
import type { Archive } from '../archive/setup/archive.ts';
import {
  changedWebhooks,
  holdLease,
  leaseQuery,
  leaveLease,
  purgeWebhook,
  type StoredWebhook,
  sequenceOf,
  stopWebhook,
  takeLease,
  webhookIn,
} from '../archive/store/webhooks.ts';
import { createHistogram, type HistogramView } from '../chain/base/time.ts';
import { createBacklog } from './backlog.ts';
import { type KeySafe, signerOf } from './keys.ts';
import { createPace, createPool } from './pool.ts';
import { type DeliveryOutcome, type QueueParts, WebhookQueue } from './queue.ts';

/** The waits between the tries of a delivery, in ms: after the first try 5 s, and after the ninth a day. Each is up to a tenth longer or shorter. */
export const retrySchedule: readonly number[] = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400].map(
  (seconds) => seconds * 1_000,
);

/** How often the lease and the changes of webhooks are looked at, in ms. */
const lookInterval = 1_000;

/** How long a server that has the lease may be silent before another one takes it, in ms. */
const silence = 8_000;

/** Heights after which the cursor of a webhook without events is stored. */
const cursorStep = 20n;

/** Streams that are opened at the same time. */
const opensAtOnce = 8;

/** Statements in one transaction. */
const statementsAtOnce = 200;

/** The part of the connections that receivers which failed last time may use. */
const failingPart = 4;

/** Counts of webhooks and their deliveries. */
export interface WebhookStats {
  /** Whether this server delivers. */
  readonly isDelivering: boolean;
  /** Webhooks that deliver, and those of them whose last try has failed. */
  readonly active: number;
  readonly failing: number;
  /** The most blocks that an active webhook is behind the newest block. */
  readonly lag: bigint;
  /** Tries since the start, by outcome. */
  readonly tries: Readonly<Record<DeliveryOutcome, number>>;
  readonly duration: HistogramView;
  /** Deliveries that have a connection, and that wait for one. */
  readonly connections: { readonly running: number; readonly waiting: number };
}

/** What a client may do now: its scopes, null if it was deleted, undefined if that is not known. */
export type ScopesOf = (clientId: string) => Promise<readonly string[] | null | undefined>;

export interface DeliveriesOptions
  extends Pick<QueueParts, 'streams' | 'attempt' | 'timeAt' | 'kept'>,
    Partial<Pick<QueueParts, 'schedule' | 'now'>> {
  readonly archive: Pick<Archive, 'read' | 'change'>;
  readonly safe: KeySafe;
  /** The most connections to receivers. */
  readonly maxConnections: number;
  /** The most bytes of events that wait. */
  readonly maxBytes: number;
  readonly scopesOf: ScopesOf;
  /** The newest block. */
  readonly newest: () => bigint | undefined;
  readonly report: (error: unknown) => void;
}

/** The delivery of webhooks by the server that has the lease. */
export type Deliveries = ReturnType<typeof createDeliveries>;

/** Another server has the lease. */
class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
}

interface Pending {
  readonly statements: readonly Sql[];
  resolve(): void;
  reject(error: unknown): void;
}

/** Joins the outcomes that wait into transactions. Each holds only if this server has the lease. */
function createOutcomes(archive: Pick<Archive, 'change'>, holder: string, onLost: () => void) {
  const waiting: Pending[] = [];
  let isWriting = false;

  async function write(): Promise<void> {
    isWriting = true;
    while (waiting.length > 0) {
      const batch: Pending[] = [];
      for (let count = 0; waiting.length > 0 && count < statementsAtOnce; ) {
        const next = waiting.shift();
        if (next === undefined) break;
        batch.push(next);
        count += next.statements.length;
      }
      try {
        const [leaseRows = []] = await archive.change([holdLease(holder), ...batch.flatMap(({ statements }) => statements)]);
        if (leaseRows.length === 0) throw new LeaseLost('another server delivers the webhooks');
        for (const { resolve } of batch) resolve();
      } catch (error) {
        for (const { reject } of batch) reject(error);
        if (error instanceof LeaseLost) onLost();
      }
    }
    isWriting = false;
  }

  return (statements: readonly Sql[]): Promise<void> =>
    new Promise((resolve, reject) => {
      waiting.push({ statements, resolve, reject });
      // Outcomes of the same turn are stored together.
      if (!isWriting) {
        isWriting = true;
        setImmediate(() => void write());
      }
    });
}

/** Starts to compete for the lease, and to deliver while this server has it. */
export function createDeliveries(options: DeliveriesOptions) {
  const {
    archive,
    safe,
    scopesOf,
    newest,
    report,
    now = Date.now,
    schedule = retrySchedule,
    maxConnections,
    maxBytes,
  } = options;
  const holder = randomUUID();
  const queues = new Map<string, WebhookQueue>();
  const stopping = new Set<Promise<void>>();
  const tries: Record<DeliveryOutcome, number> = { success: 0, failure: 0, gone: 0, no_response: 0 };
  const duration = createHistogram([0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15]);
  const failing = createPool(Math.max(1, Math.floor(maxConnections / failingPart)));
  const healthy = createPool(Math.max(1, maxConnections - Math.floor(maxConnections / failingPart)));
  const commit = createOutcomes(archive, holder, () => void lose());
  /** The number of the last change that was seen; undefined while another server has the lease. */
  let seenChange: bigint | undefined;
  let lastSeen: { readonly holder: string; readonly beat: bigint; readonly since: number } | undefined;
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> | undefined;
  let mustLookAgain = false;
  let looks = 0;

  const parts: QueueParts = {
    ...options,
    ...{ schedule, now, commit, holder },
    opening: createPool(opensAtOnce),
    backlog: createBacklog(maxBytes),
    pace: createPace(),
    connections: { healthy, failing },
    async sequenceOf(webhook, event) {
      const { text, values } = sequenceOf(webhook, event);
      const [row] = await archive.read(text, values);
      return row === undefined ? null : integerAt(row, 'sequence');
    },
    onTry(outcome, milliseconds) {
      tries[outcome] += 1;
      duration.observe(milliseconds / 1_000);
    },
  };

  async function lose(): Promise<void> {
    seenChange = undefined;
    lastSeen = undefined;
    for (const queue of queues.values()) void stop(queue);
    queues.clear();
    await Promise.all(stopping);
  }

  /** Stops a queue. Resolves when the outcome of its delivery is stored. */
  function stop(queue: WebhookQueue): Promise<void> {
    const stopped = queue.stop().finally(() => stopping.delete(stopped));
    stopping.add(stopped);
    return stopped;
  }

  async function rows({ text, values }: Sql): Promise<readonly Row[]> {
    return archive.read(text, values);
  }

  /** Takes the lease if it is free, or if its holder was silent for too long by the clock of this server. */
  async function compete(): Promise<void> {
    const [row] = await rows(leaseQuery);
    if (row === undefined) return;
    const last = { holder: textAt(row, 'holder'), beat: integerAt(row, 'beat') };
    const isSame = lastSeen?.holder === last.holder && lastSeen.beat === last.beat;
    if (!isSame) lastSeen = { ...last, since: performance.now() };
    const isFree = last.holder === '' || (lastSeen !== undefined && performance.now() - lastSeen.since >= silence);
    if (!isFree) return;
    const [takenRows = []] = await archive.change([takeLease(holder, last)]);
    if (takenRows.length > 0) seenChange = -1n;
  }

  /** Begins, changes or ends the queue of a webhook that was changed. */
  async function apply(webhook: StoredWebhook): Promise<void> {
    const queue = queues.get(webhook.id);
    queues.delete(webhook.id);
    if (webhook.isDeleted) {
      if (queue !== undefined) await stop(queue);
      await archive.change(purgeWebhook(webhook.id));
      return;
    }
    if (queue !== undefined) {
      // Its last outcome may have moved the cursor, so the next look reads the webhook again.
      void stop(queue).then(() => reread(webhook.id));
      return;
    }
    begin(webhook);
  }

  function begin(webhook: StoredWebhook): void {
    if (webhook.state !== 'ACTIVE' || seenChange === undefined || isClosed) return;
    try {
      const created = new WebhookQueue(webhook, signerOf(safe.open(webhook.keys), now), parts);
      queues.set(webhook.id, created);
      created.wake();
    } catch (error) {
      // Its keys were sealed with another secret.
      report(error);
    }
  }

  async function reread(id: string): Promise<void> {
    const [row] = await rows({ text: 'SELECT * FROM webhooks WHERE id = ?', values: [id] }).catch(() => []);
    if (row !== undefined && !queues.has(id)) begin(webhookIn(row));
  }

  async function readChanges(changed: bigint): Promise<void> {
    if (seenChange === undefined || changed <= seenChange) return;
    let newestChange = changed;
    for (const row of await rows(changedWebhooks(seenChange))) {
      const webhook = webhookIn(row);
      if (webhook.changed > newestChange) newestChange = webhook.changed;
      await apply(webhook);
    }
    // The lease may have been lost meanwhile.
    if (seenChange !== undefined) seenChange = newestChange;
  }

  /** Pauses the webhooks whose clients were deleted or have lost a scope. */
  async function checkClients(): Promise<void> {
    const scopesByClient = new Map<string, Awaited<ReturnType<ScopesOf>>>();
    for (const queue of [...queues.values()]) {
      const { webhook } = queue;
      const { clientId } = webhook;
      if (!scopesByClient.has(clientId)) scopesByClient.set(clientId, await scopesOf(clientId).catch(() => undefined));
      const scopes = scopesByClient.get(clientId);
      if (scopes === undefined) continue;
      const lost = scopes === null ? undefined : webhook.scopes.find((scope) => !scopes.includes(scope));
      if (scopes !== null && lost === undefined) continue;
      const [reason, message] =
        scopes === null
          ? (['CLIENT_DELETED', 'The client was deleted.'] as const)
          : (['SCOPE_REVOKED', `The client has lost the scope ${lost}.`] as const);
      queues.delete(webhook.id);
      await stop(queue);
      await commit([stopWebhook(holder, webhook, 'PAUSED', reason, message)]);
    }
  }

  async function look(): Promise<void> {
    looks += 1;
    if (seenChange === undefined) await compete();
    if (seenChange === undefined) return;
    const [[row] = []] = await archive.change([holdLease(holder)]);
    if (row === undefined) return lose();
    await readChanges(integerAt(row, 'changed'));
    if (looks % 5 === 0) await checkClients();
    for (const [id, queue] of queues) if (queue.isOver()) queues.delete(id);
    const cursors = [...queues.values()].flatMap((queue) => queue.progress(cursorStep) ?? []);
    for (let start = 0; start < cursors.length; start += statementsAtOnce)
      await commit(cursors.slice(start, start + statementsAtOnce));
  }

  function lookLater(): void {
    if (isClosed) return;
    timer = setTimeout(poke, lookInterval);
    timer.unref();
  }

  function poke(): void {
    if (isClosed) return;
    if (looking !== undefined) {
      mustLookAgain = true;
      return;
    }
    clearTimeout(timer);
    mustLookAgain = false;
    looking = look()
      // The database cannot be used at the moment, or its tables are not there yet.
      .catch(() => undefined)
      .finally(() => {
        looking = undefined;
        if (mustLookAgain) poke();
        else lookLater();
      });
  }
  poke();

  return {
    /** Looks at the changes of webhooks now. */
    poke,
    stats(): WebhookStats {
      const head = newest();
      const all = [...queues.values()];
      let lag = 0n;
      for (const queue of all) if (head !== undefined && head - queue.height() > lag) lag = head - queue.height();
      const [one, two] = [healthy.counts(), failing.counts()];
      return {
        isDelivering: seenChange !== undefined,
        active: all.length,
        failing: all.filter((queue) => queue.isFailing()).length,
        lag,
        tries: { ...tries },
        duration: duration.view(),
        connections: { running: one.running + two.running, waiting: one.waiting + two.waiting },
      };
    },
    /** Ends the deliveries after those that are under way, stores the cursors, and gives the lease to another server. */
    async close(): Promise<void> {
      if (isClosed) return;
      isClosed = true;
      clearTimeout(timer);
      await looking;
      const hasLease = seenChange !== undefined;
      const cursors = [...queues.values()].flatMap((queue) => queue.progress(1n) ?? []);
      if (cursors.length > 0) await commit(cursors).catch(() => undefined);
      await lose();
      if (hasLease) await archive.change([leaveLease(holder)]).catch(() => undefined);
    },
  };
}
