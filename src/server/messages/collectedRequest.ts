import { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';

/** Takes the body of a request. */
export interface BodyCollector {
  /** Takes the next bytes. */
  add(chunk: Buffer): void;
  /** Called when the body is complete. */
  end(): void;
  /** Called instead if the connection breaks before that. */
  fail(): void;
}

/**
 * A request whose body can be collected as the parser passes it on, without the events of a stream, which take longer than all else of a small
 * body. A body that is not collected is read as from any request.
 */
export class CollectedRequest extends IncomingMessage {
  #collector: BodyCollector | undefined;
  #state: 'waiting' | 'streamed' | 'collected' = 'waiting';

  /**
   * Passes the body to `collector`. Returns false, and does nothing, if a part of the body has arrived already. The connection is not paused
   * meanwhile, so the body must be small.
   */
  collect(collector: BodyCollector): boolean {
    if (this.#state !== 'waiting' || this.destroyed) return false;
    this.#collector = collector;
    return true;
  }

  /** Called by the parser with each chunk of the body, and with null at its end. */
  override push(chunk: Buffer | null, encoding?: BufferEncoding): boolean {
    const collector = this.#collector;
    if (collector === undefined) {
      this.#state = 'streamed';
      return super.push(chunk, encoding);
    }
    if (chunk !== null) {
      collector.add(chunk);
      return true;
    }
    this.#collector = undefined;
    this.#state = 'collected';
    collector.end();
    return true;
  }

  /** Whether the body was collected. Its stream then has no events. */
  get isCollected(): boolean {
    return this.#state === 'collected';
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    const collector = this.#collector;
    this.#collector = undefined;
    super._destroy(error, callback);
    collector?.fail();
  }
}

/** Where Node has a member. The types of Node declare one of the two below as a property, and do not declare the other. */
const nodeMember = (owner: object, name: string): PropertyDescriptor => Object.getOwnPropertyDescriptor(owner, name) ?? {};
const { get: readableEnded } = nodeMember(Readable.prototype, 'readableEnded');
const { value: dump } = nodeMember(IncomingMessage.prototype, '_dump');

Object.defineProperties(CollectedRequest.prototype, {
  // Node keeps a request that has not ended until the next request of the connection.
  readableEnded: {
    get(this: CollectedRequest): unknown {
      return this.isCollected || readableEnded?.call(this);
    },
  },
  // Called after the response, to read the rest of a body that was not read.
  _dump: {
    value(this: CollectedRequest): void {
      if (!this.isCollected) dump?.call(this);
    },
  },
});

/** Frees the headers of a request whose response lasts for long. Nothing may read them afterwards. */
export function forgetHeaders(request: IncomingMessage): void {
  request.rawHeaders = [];
  request.headers = {};
}
