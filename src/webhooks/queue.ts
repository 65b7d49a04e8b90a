import { createHash } from 'node:crypto';
import type { Sql } from '../archive/database/database.ts';
import {
  dropDeliveries,
  moveCursor,
  moveReplay,
  noteFailure,
  type StoredWebhook,
  stopWebhook,
  storeDelivery,
  type WebhookPlace,
} from '../archive/store/webhooks.ts';
import type { WebhookDelivery, WebhookReason, WebhookState } from '../archive/webhooks.ts';
import { pause } from '../chain/base/time.ts';
import type { Leavable } from '../graphql/subscriptions/subscriber.ts';
import type { Attempt } from './attempt.ts';
import type { Backlog } from './backlog.ts';
import type { Sign } from './keys.ts';
import type { Pool } from './pool.ts';
import { type EventSink, isFinal, type StreamError, type WebhookEvent, type WebhookStreams } from './streams.ts';

/** Events and bytes that wait in a queue before its stream is closed. It is opened again when they are delivered. */
const most = { events: 32, bytes: 1024 * 1024 } as const;

/** Deliveries are dropped when this many are over the kept ones. */
const dropStep = 16n;

/** The wait before a stream is opened again, and before a statement is tried again, in ms. */
const retryPause = 1_000;

/** The id of an event: the same for ever, whoever delivers it. */
export function eventId(webhook: string, height: bigint, position: number): string {
  const hash = createHash('sha256').update(`${webhook}\n${height}\n${position}`).digest('base64url');
  return `evt_${hash.slice(0, 32)}`;
}

/** The result of a delivery, for the metrics. */
export type DeliveryOutcome = 'success' | 'failure' | 'gone' | 'no_response';

/** What the queues of a server share. */
export interface QueueParts {
  readonly streams: Pick<WebhookStreams, 'open'>;
  /** Bounds the streams that are opened at the same time. */
  readonly opening: Pool;
  /** Bounds the connections: those to receivers that responded last time, and those to the others. */
  readonly connections: { readonly healthy: Pool; readonly failing: Pool };
  /** The events of all queues. While it is full, a queue that has an event reads no more. */
  readonly backlog: Backlog;
  /** Resolves when a queue may begin to work. Each waits for a turn of the event loop, so that subscribers have the event first. */
  readonly pace: () => Promise<void>;
  readonly attempt: (url: string, headers: Readonly<Record<string, string>>, body: string) => Promise<Attempt>;
  /** The waits between tries, in ms. */
  readonly schedule: readonly number[];
  /** The block time at a height. Rejects if no node can be read. */
  readonly timeAt: (height: bigint) => Promise<string>;
  /** Stores an outcome, in one transaction. Rejects if the database cannot be used. */
  readonly commit: (statements: readonly Sql[]) => Promise<void>;
  /** The sequence of an event that was delivered before; null if it is not kept any more. */
  readonly sequenceOf: (webhook: string, event: string) => Promise<bigint | null>;
  /** The name by which this server holds the lease. */
  readonly holder: string;
  /** The deliveries that are kept of each webhook. */
  readonly kept: number;
  readonly now: () => number;
  /** Counts a try. */
  readonly onTry: (outcome: DeliveryOutcome, milliseconds: number) => void;
}

/** The queue of one webhook: it reads its stream and delivers one event after the other. A class, because a server has many. */
export class WebhookQueue {
  readonly #parts: QueueParts;
  readonly #webhook: StoredWebhook;
  readonly #sign: Sign;
  #place: WebhookPlace;
  #storedHeight: bigint;
  #replay: StoredWebhook['replay'];
  #sequence: bigint;
  #previous: string | null;
  #delivered: number | null;
  #tries: number;
  #nextTry: number;
  #events: WebhookEvent[] = [];
  #bytes = 0;
  #stream: Leavable | undefined;
  /** Changes with each stream, so that nothing of an earlier one is taken. */
  #opened = {};
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #isOver = false;

  constructor(webhook: StoredWebhook, sign: Sign, parts: QueueParts) {
    this.#parts = parts;
    this.#webhook = webhook;
    this.#sign = sign;
    this.#place = webhook.place;
    this.#storedHeight = webhook.place.height;
    this.#replay = webhook.replay;
    this.#sequence = webhook.sequence;
    this.#previous = webhook.previous;
    this.#delivered = webhook.delivered;
    this.#tries = webhook.tries;
    this.#nextTry = webhook.nextTry ?? 0;
  }

  get webhook(): StoredWebhook {
    return this.#webhook;
  }

  /** The height up to which all events are delivered. */
  height(): bigint {
    return this.#place.height - 1n;
  }

  isFailing(): boolean {
    return this.#tries > 0;
  }

  isOver(): boolean {
    return this.#isOver;
  }

  /** Delivers what can be delivered now. */
  wake(): void {
    if (this.#isOver || this.#running !== undefined) return;
    clearTimeout(this.#timer);
    this.#running = this.#parts
      .pace()
      .then(() => this.#run())
      .finally(() => {
        this.#running = undefined;
        // An event may have come in the last turn.
        if (this.#events.length > 0 && this.#timer === undefined) this.wake();
      });
  }

  /** Ends the queue. Resolves when its delivery, if one is under way, has its outcome stored. */
  async stop(): Promise<void> {
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#leave();
    await this.#running;
    this.#clear();
  }

  /**
   * Notes the heights that had no event. Returns the statement that stores the cursor if it moved by at least `step` heights since it was stored, or
   * undefined.
   */
  progress(step: bigint): Sql | undefined {
    if (this.#isOver || this.#running !== undefined || this.#events.length > 0 || this.#tries > 0) return undefined;
    const covered = this.#stream?.covered();
    if (covered === undefined) return undefined;
    if (this.#replay !== null) {
      if (covered >= this.#replay.to) this.wake();
      return undefined;
    }
    if (covered >= this.#place.height) this.#place = { height: covered + 1n, position: 0 };
    if (this.#place.height - this.#storedHeight < step) return undefined;
    this.#storedHeight = this.#place.height;
    return this.#cursor();
  }

  #cursor(): Sql {
    const { id } = this.#webhook;
    return moveCursor(this.#parts.holder, {
      id,
      place: this.#place,
      sequence: this.#sequence,
      previous: this.#previous,
      delivered: this.#delivered,
    });
  }

  #leave(): void {
    this.#opened = {};
    this.#stream?.leave();
    this.#stream = undefined;
  }

  #wakeIn(milliseconds: number): void {
    clearTimeout(this.#timer);
    if (this.#isOver) return;
    this.#timer = setTimeout(
      () => {
        this.#timer = undefined;
        this.wake();
      },
      Math.min(Math.max(milliseconds, 0), 2 ** 31 - 1),
    );
    this.#timer.unref();
  }

  async #run(): Promise<void> {
    this.#timer = undefined;
    while (!this.#isOver) {
      const wait = this.#tries > 0 ? this.#nextTry - this.#parts.now() : 0;
      if (wait > 0) return this.#wakeIn(wait);
      if (await this.#endReplay()) continue;
      const [event] = this.#events;
      if (event !== undefined) {
        if (!(await this.#deliver(event))) return this.#wakeIn(retryPause);
      } else if (this.#stream !== undefined || !(await this.#open())) return;
    }
  }

  /** Ends the redelivery if its events are delivered. Returns whether it has ended. */
  async #endReplay(): Promise<boolean> {
    if (this.#replay === null) return false;
    const covered = this.#covered(0);
    if (covered === undefined || covered < this.#replay.to) return false;
    this.#leave();
    this.#clear();
    await this.#store([moveReplay(this.#parts.holder, { id: this.#webhook.id, replay: null })]);
    this.#replay = null;
    return true;
  }

  /** The height up to which there are no events from the one at `index` of the queue on; undefined if that is not known. */
  #covered(index: number): bigint | undefined {
    const event = this.#events[index];
    return event === undefined ? this.#stream?.covered() : event.height - 1n;
  }

  #push(event: WebhookEvent): void {
    this.#events.push(event);
    this.#bytes += event.bytes;
    this.#parts.backlog.hold(event);
  }

  #clear(): void {
    for (const event of this.#events) this.#parts.backlog.release(event);
    this.#events = [];
    this.#bytes = 0;
  }

  /** Opens the stream where the deliveries continue. Returns whether it is open; if not, it is tried again later, or the webhook is stopped. */
  async #open(): Promise<boolean> {
    const opened = {};
    this.#opened = opened;
    const place = this.#replay ?? this.#place;
    const sink: EventSink = {
      event: (event) => {
        if (this.#opened === opened) this.#take(event);
      },
      end: (error) => {
        if (this.#opened !== opened) return;
        const covered = this.#stream?.covered();
        if (this.#events.length === 0 && this.#replay === null && covered !== undefined && covered >= this.#place.height)
          this.#place = { height: covered + 1n, position: 0 };
        this.#leave();
        void this.#ended(error ?? 'COMPLETE');
      },
    };
    const result = await this.#parts.opening
      .run(async () => (this.#isOver ? undefined : this.#parts.streams.open(this.#webhook, place, sink)))
      .catch(
        (error: unknown): StreamError => ({ code: 'INTERNAL_SERVER_ERROR', message: String(error), retryAfter: undefined }),
      );
    if (result === undefined) return false;
    if ('code' in result) {
      await this.#ended(result);
      return false;
    }
    // It may have been left while it began.
    if (this.#isOver || this.#opened !== opened) {
      result.leave();
      return this.#events.length > 0;
    }
    this.#stream = result;
    return true;
  }

  /** What follows the end of a stream: it is opened again, or the webhook is paused. */
  async #ended(error: StreamError | 'COMPLETE'): Promise<void> {
    if (error === 'COMPLETE') return this.#stop('PAUSED', 'STREAM_ENDED', 'The subscription is complete.');
    if (isFinal(error)) return this.#stop('PAUSED', 'STREAM_FAILED', `${error.code}: ${error.message}`);
    this.#wakeIn(error.retryAfter ?? retryPause);
  }

  async #stop(state: Exclude<WebhookState, 'ACTIVE'>, reason: WebhookReason, message: string): Promise<void> {
    await this.#store([stopWebhook(this.#parts.holder, this.#webhook, state, reason, message)]);
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#leave();
    this.#clear();
  }

  #take(event: WebhookEvent): void {
    const { height, position } = this.#replay ?? this.#place;
    if (event.height < height || (event.height === height && event.position < position)) return;
    this.#push(event);
    if (this.#events.length >= most.events || this.#bytes >= most.bytes || this.#parts.backlog.isFull()) this.#leave();
    this.wake();
  }

  /** Stores statements, and tries again until it succeeds or the queue is over. */
  async #store(statements: readonly Sql[]): Promise<boolean> {
    for (;;) {
      try {
        await this.#parts.commit(statements);
        return true;
      } catch {
        if (this.#isOver) return false;
        await pause(retryPause);
      }
    }
  }

  /** Delivers an event. Returns false if it could not be tried. */
  async #deliver(event: WebhookEvent): Promise<boolean> {
    const { parts, id } = { parts: this.#parts, id: this.#webhook.id };
    const key = eventId(id, event.height, event.position);
    let [sequence, previous]: [bigint | null, string | null] = [this.#sequence + 1n, this.#previous];
    let time: string;
    try {
      time = await parts.timeAt(event.height);
      if (this.#replay !== null) [sequence, previous] = [await parts.sequenceOf(id, key), null];
    } catch {
      return false;
    }
    const pool = this.isFailing() ? parts.connections.failing : parts.connections.healthy;
    const result = await pool.run(async () => {
      if (this.#isOver) return undefined;
      const head = JSON.stringify({
        id: key,
        webhook: id,
        height: event.height.toString(),
        time,
        sequence: sequence?.toString() ?? null,
        previous,
        ...(this.#replay !== null && { redelivery: true }),
      });
      const body = `${head.slice(0, -1)},${event.members}}`;
      const now = new Date(parts.now());
      const headers = {
        'webhook-id': key,
        'webhook-timestamp': Math.floor(now.getTime() / 1_000).toString(),
        'webhook-signature': this.#sign(key, now, body),
      };
      return parts.attempt(this.#webhook.url, headers, body);
    });
    if (result === undefined) return false;
    await this.#settle(event, key, sequence, result);
    return true;
  }

  /** Stores the outcome of a try, and moves on. */
  async #settle(event: WebhookEvent, key: string, sequence: bigint | null, result: Attempt): Promise<void> {
    const { holder, schedule, kept, now, onTry } = this.#parts;
    const { id } = this.#webhook;
    const { status, response, error, retryAfter, milliseconds } = result;
    const isDelivered = status !== null && status >= 200 && status < 300;
    const isGone = status === 410;
    onTry(isDelivered ? 'success' : isGone ? 'gone' : status === null ? 'no_response' : 'failure', milliseconds);
    const tries = this.#tries + 1;
    const wait = schedule[tries - 1];
    const isLast = isGone || wait === undefined;
    const delivery = (state: WebhookDelivery['state']): readonly Sql[] =>
      sequence === null
        ? []
        : [
            storeDelivery(holder, {
              ...{ webhook: id, sequence, event: key, height: event.height, state, tries, status, response, error },
              time: Math.floor(now()),
            }),
          ];
    if (isDelivered) {
      const next = { height: event.height, position: event.position + 1 };
      if (this.#replay !== null) {
        const replay = { ...next, to: this.#replay.to };
        if (!(await this.#store([moveReplay(holder, { id, replay }), ...delivery('DELIVERED')]))) return;
        this.#replay = replay;
      } else {
        const covered = this.#covered(1);
        const isWhole = covered !== undefined && covered >= event.height;
        this.#place = isWhole ? { height: event.height + 1n, position: 0 } : next;
        this.#storedHeight = this.#place.height;
        this.#sequence += 1n;
        this.#previous = key;
        this.#delivered = Math.floor(now());
        const old = this.#sequence - BigInt(kept);
        const drops = old > 0n && this.#sequence % dropStep === 0n ? [dropDeliveries(id, old)] : [];
        await this.#store([this.#cursor(), ...delivery('DELIVERED'), ...drops]);
      }
      this.#tries = 0;
      this.#events.shift();
      this.#bytes -= event.bytes;
      this.#parts.backlog.release(event);
      return;
    }
    const nextTry = Math.ceil(now() + Math.max(retryAfter ?? 0, (wait ?? 0) * (0.9 + 0.2 * Math.random())));
    const failure = [noteFailure(holder, id, tries, nextTry), ...delivery(isLast ? 'FAILED' : 'RETRYING')];
    if (isLast) {
      const what = status === null ? error : `The receiver responded with ${status}.`;
      const stop = isGone
        ? stopWebhook(holder, this.#webhook, 'DISABLED', 'RECEIVER_GONE', 'The receiver responded with 410.')
        : stopWebhook(holder, this.#webhook, 'PAUSED', 'RECEIVER_FAILED', `${tries} tries have failed. ${what}`);
      await this.#store([...failure, stop]);
      this.#isOver = true;
      this.#leave();
      this.#clear();
      return;
    }
    await this.#store(failure);
    this.#tries = tries;
    this.#nextTry = nextTry;
    // Only the event that failed is kept. The others are read again.
    this.#leave();
    this.#clear();
    this.#push(event);
  }
}
