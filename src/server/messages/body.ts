import { type IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';

/** Where Node has a member. The types of Node declare some of them as properties, and do not declare others. */
const nodeMember = (owner: object, name: string): PropertyDescriptor => Object.getOwnPropertyDescriptor(owner, name) ?? {};
const nodeHeaders = nodeMember(IncomingMessage.prototype, 'headers');
const { get: readableEnded } = nodeMember(Readable.prototype, 'readableEnded');
const { value: dump } = nodeMember(IncomingMessage.prototype, '_dump');

/** What waits for a body: it gets the whole body, or null if it is too large, or learns that the connection has broken. */
export interface BodyReader {
  /** Called once. Must not throw. */
  end(body: Buffer | null): void;
  fail(error: Error): void;
}

const brokenConnection = (): Error => new Error('the connection broke');

/**
 * A request whose body can be collected as the parser passes it on, without the events of a stream, which take longer than all else of a small
 * body. A body that is not collected is read as from any request.
 */
export class CollectedRequest extends IncomingMessage {
  /** The address of the client, if it is that of the connection. See `clientAddress`. */
  client: string | undefined;
  /** Whether the body was collected. Its stream then has no events. */
  isCollected = false;
  /** Whether a part of the body was passed to the stream. */
  #isStreamed = false;
  #reader: BodyReader | undefined;
  #chunks: Buffer[] | undefined;
  #headers: IncomingHttpHeaders | undefined;

  static {
    Object.defineProperties(CollectedRequest.prototype, {
      // Node finds them under a symbol, which takes longer: a request reads its headers twenty times.
      headers: {
        get(this: CollectedRequest): IncomingHttpHeaders {
          this.#headers ??= nodeHeaders.get?.call(this);
          return this.#headers ?? {};
        },
        set(this: CollectedRequest, headers: IncomingHttpHeaders) {
          this.#headers = headers;
          nodeHeaders.set?.call(this, headers);
        },
      },
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
  }

  /**
   * Passes the body to `reader`. Returns false, and does nothing, if a part of the body has arrived already. The connection is not paused
   * meanwhile, so the body must be small.
   */
  collect(reader: BodyReader): boolean {
    if (this.isCollected || this.#isStreamed || this.destroyed) return false;
    this.#reader = reader;
    return true;
  }

  /** Called by the parser with each chunk of the body, and with null at its end. */
  override push(chunk: Buffer | null, encoding?: BufferEncoding): boolean {
    const reader = this.#reader;
    if (reader === undefined) {
      this.#isStreamed = true;
      return super.push(chunk, encoding);
    }
    if (chunk !== null) {
      // Most bodies have one chunk.
      if (this.#chunks === undefined) this.#chunks = [chunk];
      else this.#chunks.push(chunk);
      return true;
    }
    const body = wholeOf(this.#chunks ?? []);
    this.#reader = undefined;
    this.#chunks = undefined;
    this.isCollected = true;
    reader.end(body);
    return true;
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    const reader = this.#reader;
    this.#reader = undefined;
    this.#chunks = undefined;
    super._destroy(error, callback);
    reader?.fail(brokenConnection());
  }
}

/** Frees the headers of a request whose response lasts for long. Nothing may read them afterwards. */
export function forgetHeaders(request: IncomingMessage): void {
  request.rawHeaders = [];
  request.headers = {};
}

/** A body is copied if the memory that it was read into has more than this beside it, in bytes. Headers commonly have less. */
const mostUnused = 4 * 1024;

/** The largest body that is collected without the events of a stream, in bytes: a chunk of a connection has as many. */
const mostCollected = 64 * 1024;

/** Reads the whole body of a request. Resolves with null if it has more than `max` bytes. Rejects if the connection breaks. */
export function readBody(request: IncomingMessage, max: number): Promise<Buffer | null> {
  return new Promise((resolve, reject) => passBody(request, max, { end: resolve, fail: reject }));
}

/**
 * Reads the whole body of a request and passes it to `reader` as soon as it is complete, or null as soon as it is known to have more than `max`
 * bytes: nothing of it is kept.
 */
export function passBody(request: IncomingMessage, max: number, reader: BodyReader): void {
  const length = Number(request.headers['content-length'] ?? Number.NaN);
  if (length > max) {
    reader.end(null);
    return;
  }
  const isCollected = length <= mostCollected && request instanceof CollectedRequest && request.collect(reader);
  if (!isCollected) readStream(request, max, reader);
}

/** Reads a body by the events of its stream. */
function readStream(request: IncomingMessage, max: number, reader: BodyReader): void {
  // The request object lives until the response is sent, and its listeners must not keep the body in memory until then. The
  // reader keeps the result of its promise.
  let waiting: { readonly chunks: Buffer[]; readonly reader: BodyReader } | undefined = { chunks: [], reader };
  let size = 0;
  const onData = (chunk: Buffer): void => {
    if (waiting === undefined) return;
    size += chunk.length;
    if (size <= max) return void waiting.chunks.push(chunk);
    const { reader } = waiting;
    waiting = undefined;
    // The connection stays paused until the response is sent.
    request.pause().off('data', onData);
    reader.end(null);
  };
  const onEnd = (): void => {
    if (waiting === undefined) return;
    const { chunks, reader } = waiting;
    waiting = undefined;
    reader.end(wholeOf(chunks));
  };
  // A request whose connection breaks emits an error only to listeners for it, and is closed in any case.
  const onClose = (): void => waiting?.reader.fail(brokenConnection());
  request.on('data', onData).on('end', onEnd).on('close', onClose);
}

function wholeOf(chunks: readonly Buffer[]): Buffer {
  const [first] = chunks;
  const isWhole = first !== undefined && chunks.length === 1 && first.buffer.byteLength <= first.length + mostUnused;
  return isWhole ? first : Buffer.concat(chunks);
}
