import { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';

/** Takes the body of a request. */
interface BodyCollector {
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

/** A body is copied if the memory that it was read into has more than this beside it, in bytes. Headers commonly have less. */
const mostUnused = 4 * 1024;

/** The largest body that is collected without the events of a stream, in bytes: a chunk of a connection has as many. */
const mostCollected = 64 * 1024;

/**
 * Reads the whole body of a request. Resolves with the result of `received`, which is called with the body as soon as it is
 * complete. Resolves with null as soon as the body is known to be larger than `max` bytes, and keeps nothing of it. Rejects if
 * the connection breaks.
 */
export function readBody<T>(
  request: IncomingMessage,
  max: number,
  received: (body: Buffer) => T | Promise<T>,
): Promise<T | null> {
  const length = Number(request.headers['content-length'] ?? Number.NaN);
  if (length > max) return Promise.resolve(null);
  return new Promise((resolve, reject) => {
    if (!(length <= mostCollected && collect(request, received, resolve, reject)))
      stream(request, max, received, resolve, reject);
  });
}

type Resolve<T> = (result: T | Promise<T> | null) => void;
type Reject = (error: Error) => void;

/** Reads a small body whose length is known. Returns false if this is not possible. */
function collect<T>(
  request: IncomingMessage,
  received: (body: Buffer) => T | Promise<T>,
  resolve: Resolve<T>,
  reject: Reject,
): boolean {
  let first: Buffer | undefined;
  let others: Buffer[] | undefined;
  return (
    request instanceof CollectedRequest &&
    request.collect({
      add(chunk) {
        if (first === undefined) first = chunk;
        else if (others === undefined) others = [chunk];
        else others.push(chunk);
      },
      end: () => resolve(received(wholeOf(first === undefined ? [] : [first, ...(others ?? [])]))),
      fail: () => reject(broken()),
    })
  );
}

function stream<T>(
  request: IncomingMessage,
  max: number,
  received: (body: Buffer) => T | Promise<T>,
  resolve: Resolve<T>,
  reject: Reject,
): void {
  // The request object lives until the response is sent, and its listeners must not keep the body in memory until then. The functions that settle the
  // promise keep its result.
  let waiting: { readonly chunks: Buffer[]; readonly resolve: Resolve<T>; readonly reject: Reject } | undefined = {
    chunks: [],
    resolve,
    reject,
  };
  let size = 0;
  const onData = (chunk: Buffer): void => {
    if (waiting === undefined) return;
    size += chunk.length;
    if (size <= max) return void waiting.chunks.push(chunk);
    const { resolve } = waiting;
    waiting = undefined;
    // The connection stays paused until the response is sent.
    request.pause().off('data', onData);
    resolve(null);
  };
  const onEnd = (): void => {
    if (waiting === undefined) return;
    const { chunks, resolve } = waiting;
    waiting = undefined;
    resolve(received(wholeOf(chunks)));
  };
  // A request whose connection breaks emits an error only to listeners for it, and is closed in any case.
  const onClose = (): void => waiting?.reject(broken());
  request.on('data', onData).on('end', onEnd).on('close', onClose);
}

function broken(): Error {
  return new Error('the connection broke');
}

function wholeOf(chunks: readonly Buffer[]): Buffer {
  const [first] = chunks;
  const isWhole = first !== undefined && chunks.length === 1 && first.buffer.byteLength <= first.length + mostUnused;
  return isWhole ? first : Buffer.concat(chunks);
}
