import { randomUUID } from 'node:crypto';
import { bufferBytes, compact, objectBytes, ownBytes, textBytes } from '../chain/memory/memoryBudget.ts';
import { heightPlace, timePlace } from '../reads/pin.ts';

/**
 * What is written into an answer when it is sent: the height that it is read at, the time of that block, the JSON of the cost of the request, and the members
 * that each answer of the aggregates begins with.
 */
type Place = 'height' | 'time' | 'cost' | 'start';

/** The bytes of an answer, with the places that differ between the heights and the callers that it is sent to. */
export interface AnswerBody {
  /** One more than there are places. Pieces of one buffer once the answer was sent twice with the same texts. */
  parts: readonly Buffer[];
  readonly places: readonly Place[];
  /** The bytes that the parts were found in, with the texts of the places. undefined if they were not. */
  readonly whole?: Buffer | undefined;
  /**
   * The texts that the answer was last sent with, and the bytes to send with them once they are used again. Most callers ask at
   * the newest height.
   */
  filled?: { readonly texts: readonly string[]; readonly pieces: readonly Buffer[] | undefined };
}

/** A whole response. */
export interface Answer {
  readonly status: number;
  /** The name of the operation, for logs. */
  readonly operation: string | undefined;
  /** Names in lower case and values, in turn. */
  readonly headers: readonly string[];
  readonly body: AnswerBody;
}

/** The text of a result where its cost is written when it is sent. Random, like {@link heightPlace}. */
export const costPlace = `cost-${randomUUID()}`;

const places: readonly { readonly place: Place; readonly text: string; readonly bytes: Buffer }[] = [
  placeWith('height', String(heightPlace)),
  placeWith('time', timePlace),
  // The cost is an object, so the quotes around the text are replaced with it.
  placeWith('cost', `"${costPlace}"`),
];

function placeWith(place: Place, text: string): { readonly place: Place; readonly text: string; readonly bytes: Buffer } {
  return { place, text, bytes: Buffer.from(text) };
}

/**
 * A small body as a text with a character for each byte, which costs less to search, to fill and to send than a `Buffer`. It is a class because
 * every answer of a small request has one.
 */
export class TextBody implements AnswerBody {
  readonly text: string;
  readonly places: readonly Place[];
  /** Where each place begins and ends in the text, in turn. */
  readonly #cuts: readonly number[];

  /** The text contains the texts of places, none of which begins before `from`. */
  constructor(text: string, from = 0) {
    const ownPlaces: Place[] = [];
    const cuts: number[] = [];
    for (const { place, start, end } of findPlaces(text, from)) {
      ownPlaces.push(place);
      cuts.push(start, end);
    }
    this.text = text;
    this.places = ownPlaces;
    this.#cuts = cuts;
  }

  get whole(): Buffer {
    return Buffer.from(this.text, 'latin1');
  }

  get parts(): readonly Buffer[] {
    const { whole } = this;
    return this.places
      .map((_, index) => whole.subarray(index === 0 ? 0 : this.#cuts[2 * index - 1], this.#cuts[2 * index]))
      .concat(whole.subarray(this.#cuts.at(-1) ?? 0));
  }

  /** The text to send. */
  filledWith(textAt: TextAt): string {
    const { text, places } = this;
    let [filled, from] = ['', 0];
    for (let index = 0; index < places.length; index += 1) {
      const place = places[index];
      if (place !== undefined) filled += text.slice(from, this.#cuts[2 * index]) + textAt(place);
      from = this.#cuts[2 * index + 1] ?? from;
    }
    return from === 0 ? text : filled + text.slice(from);
  }

  /** Memory, in bytes. */
  size(): number {
    return 3 * objectBytes + textBytes(this.text) + this.#cuts.length * numberBytes;
  }
}

/** A number in a list, in bytes. */
const numberBytes = 8;

/** A body without places. */
export function plainBody(bytes: Buffer): AnswerBody {
  return { parts: [bytes], places: [], whole: bytes };
}

/** Where the texts of places are in bytes or in a text, none of which begins before `from`. In their order. */
function findPlaces(body: Buffer | string, from: number): readonly FoundPlace[] {
  const foundPlaces: FoundPlace[] = [];
  for (const { place, text, bytes } of places) {
    for (let at = from; at >= 0; ) {
      const start = typeof body === 'string' ? body.indexOf(text, at) : body.indexOf(bytes, at);
      at = start < 0 ? start : start + text.length;
      if (start >= 0) foundPlaces.push({ place, start, end: at });
    }
  }
  return foundPlaces.length > 1 ? foundPlaces.sort((one, other) => one.start - other.start) : foundPlaces;
}

interface FoundPlace {
  readonly place: Place;
  readonly start: number;
  readonly end: number;
}

/** The body in these bytes, which contain the texts of places, none of which begins before the byte `from`. */
export function splitBody(bytes: Buffer, from = 0): AnswerBody {
  const parts: Buffer[] = [];
  const ownPlaces: Place[] = [];
  let position = 0;
  for (const { place, start, end } of findPlaces(bytes, from)) {
    parts.push(bytes.subarray(position, start));
    ownPlaces.push(place);
    position = end;
  }
  parts.push(bytes.subarray(position));
  return { parts, places: ownPlaces, whole: bytes };
}

const isWide = /[^\0-\x7f]/;

/** The body of a small answer in this JSON. undefined if it is larger, or has characters of several bytes. See {@link splitBody}. */
export function smallBody(json: string, from: number): TextBody | undefined {
  return json.length <= largestPacked && !isWide.test(json) ? new TextBody(json, from) : undefined;
}

/** The largest piece that is copied, in bytes. A copy of more costs more than a further write: of 80 kB, twice a whole request. */
const largestCopied = 16 * 1024;

/** The same bytes in fewer pieces. Small neighbours are joined. A large piece is not copied. */
export function joinSmall(pieces: readonly Buffer[]): readonly Buffer[] {
  if (pieces.length < 2) return pieces;
  const joinedParts: Buffer[] = [];
  let small: Buffer[] = [];
  const join = (): void => {
    if (small.length > 0) joinedParts.push(Buffer.concat(small));
    small = [];
  };
  for (const piece of pieces) {
    if (piece.length <= largestCopied) small.push(piece);
    else {
      join();
      joinedParts.push(piece);
    }
  }
  join();
  return joinedParts;
}

/** Returns the text at a place of an answer. It is only called for the places of the answer. */
export type TextAt = (place: Place) => string;

/** The texts of an answer of GraphQL. */
export function graphqlTexts(height: string, time: () => string, cost: () => string): TextAt {
  return (place) => (place === 'height' ? height : place === 'time' ? time() : cost());
}

/** The texts at the places of an answer. */
export function placeTexts({ places }: AnswerBody, textAt: TextAt): readonly string[] {
  return places.map(textAt);
}

/** The bytes to send, in pieces. */
export function fillBody(body: AnswerBody, textAt: TextAt): readonly Buffer[] {
  const { parts, places, filled } = body;
  if (places.length === 0) return parts;
  const texts = places.map(textAt);
  const isAgain = filled !== undefined && areEqual(filled.texts, texts);
  if (isAgain && filled.pieces !== undefined) return filled.pieces;
  const [before = nothing, after = nothing] = parts;
  const [text = ''] = texts;
  let pieces: readonly Buffer[];
  if (texts.length > 1 || before.length > largestCopied || after.length > largestCopied) {
    const buffers = texts.map((each) => Buffer.from(each));
    pieces = joinSmall(parts.flatMap((part, index) => [part, ...buffers.slice(index, index + 1)]));
  } else {
    // Most answers are small and have one place, near their end. This makes fewer objects.
    const whole = Buffer.allocUnsafe(before.length + Buffer.byteLength(text) + after.length);
    const start = before.copy(whole);
    after.copy(whole, start + whole.write(text, start));
    pieces = [whole];
  }
  // The next request has another cost.
  if (places.includes('cost')) return pieces;
  // Copies are made only for texts that are used again: requests may be for many heights.
  body.filled = { texts, pieces: isAgain ? joinAll(body, texts, pieces) : undefined };
  return body.filled.pieces ?? pieces;
}

/** The largest body that is joined to one piece, in bytes. Of a larger one, a further write costs little. */
const largestJoined = 256 * 1024;

/** The bytes to send in one piece, which takes one write less. The parts of the body become parts of it, so that they take no memory of their own. */
function joinAll(body: AnswerBody, texts: readonly string[], pieces: readonly Buffer[]): readonly Buffer[] {
  const size = pieces.reduce((sum, { length }) => sum + length, 0);
  if (pieces.length === 1 || size > largestJoined) return pieces.map(compact);
  const whole = Buffer.allocUnsafeSlow(size);
  let end = 0;
  body.parts = body.parts.map((part, index) => {
    const start = end;
    end += part.copy(whole, start);
    end += whole.write(texts[index] ?? '', end);
    return whole.subarray(start, start + part.length);
  });
  return [whole];
}

const nothing = Buffer.alloc(0);

/** Whether two lists have the same texts in the same order. */
export function areEqual(some: readonly string[], others: readonly string[]): boolean {
  if (some === others) return true;
  if (some.length !== others.length) return false;
  for (let index = 0; index < some.length; index += 1) if (some[index] !== others[index]) return false;
  return true;
}

/** The parts of a body in memory of their own. Small parts share it, because each allocation costs more than their bytes. */
function compactParts(parts: readonly Buffer[]): readonly Buffer[] {
  const size = parts.reduce((sum, { length }) => sum + length, 0);
  if (parts.length < 2 || size > largestCopied) return parts.map(compact);
  const ownCopy = ownBytes(Buffer.concat(parts, size));
  let end = 0;
  return parts.map(({ length }) => {
    end += length;
    return ownCopy.subarray(end - length, end);
  });
}

/** The largest answer that is packed, in bytes. It is shorter than those that are compressed, which belong to their body. */
const largestPacked = 1_024;

/**
 * A small answer as it is kept until it is asked for again, in two objects instead of fifteen: most answers never are, and the garbage collection of
 * their objects cost more than to split their bytes again.
 */
export class PackedAnswer {
  readonly #status: number;
  readonly #operation: string | undefined;
  readonly #headers: readonly string[];
  /** A character for each byte. */
  readonly #bytes: string;

  constructor({ status, operation, headers }: Answer, bytes: string) {
    this.#status = status;
    this.#operation = operation;
    this.#headers = headers;
    this.#bytes = bytes;
  }

  /** The answer that was packed. */
  unpacked(): Answer {
    return { status: this.#status, operation: this.#operation, headers: this.#headers, body: new TextBody(this.#bytes) };
  }

  /** Memory, in bytes. */
  size(): number {
    let size = 2 * objectBytes + textBytes(this.#operation ?? '') + textBytes(this.#bytes);
    for (const text of this.#headers) size += textBytes(text);
    return size;
  }
}

/** The answer in little memory of its own: packed if it is small, else without a reference to a larger buffer. */
export function keptAnswer(answer: Answer): Answer | PackedAnswer {
  const { body } = answer;
  if (body instanceof TextBody) return new PackedAnswer(answer, body.text);
  const { parts, places, whole } = body;
  if (whole !== undefined && whole.length <= largestPacked) return new PackedAnswer(answer, whole.toString('latin1'));
  return { ...answer, body: { places, parts: compactParts(parts) } };
}

/** Memory of an answer, in bytes. */
export function sizeOfAnswer({ body, headers, operation = '' }: Answer): number {
  const texts = [operation, ...headers];
  if (body instanceof TextBody) return texts.reduce((sum, text) => sum + textBytes(text), objectBytes + body.size());
  const bytes = body.parts.reduce((sum, part) => sum + bufferBytes + part.length, 0);
  // The small parts once more, joined with a height.
  const copied =
    body.places.length === 0 ? 0 : body.parts.reduce((sum, { length }) => sum + (length <= largestCopied ? length : 0), 0);
  return texts.reduce((sum, text) => sum + textBytes(text), 4 * objectBytes + bytes + copied + (copied > 0 ? bufferBytes : 0));
}

/** A caller that waits for an answer. */
export interface Asker {
  /** Calls `listener` once if the caller disconnects before it has its answer. */
  onLeave(listener: () => void): void;
}

/** The execution of one answer, for all callers that wait for it. */
export interface Making {
  /** Calls `listener` once when all waiting callers have left. */
  onAbandoned(listener: () => void): void;
  /** The answer cannot be shared. Waiting callers execute their own requests. Call it as soon as possible. */
  cannotShare(): void;
}

/** A {@link Making} that other callers can join. It is a class because each executed request has one, which mostly ends without a second caller. */
export class SharedMaking implements Making {
  /** Whether no further caller can join. */
  isOver = false;
  #waiting = 0;
  #isAbandoned = false;
  /** The listeners; undefined while there are none. */
  #waits: ((answer: Answer | undefined) => void)[] | undefined;
  #abandoned: (() => void)[] | undefined;

  /** Counts a caller as waiting until it disconnects or the returned function is called. */
  join(asker: Asker): () => void {
    let isJoined = true;
    this.#waiting += 1;
    const leave = (): void => {
      if (!isJoined) return;
      isJoined = false;
      this.#waiting -= 1;
      if (this.#waiting > 0) return;
      this.#isAbandoned = true;
      this.end(undefined);
      const abandoned = this.#abandoned ?? [];
      this.#abandoned = undefined;
      for (const stop of abandoned) stop();
    };
    asker.onLeave(leave);
    return leave;
  }

  /** Waits for the answer: undefined if it cannot be shared, `left` if this caller disconnects first. */
  wait(asker: Asker): Promise<Answer | undefined | 'left'> {
    return new Promise((resolve) => {
      asker.onLeave(() => resolve('left'));
      const leave = this.join(asker);
      this.#waits ??= [];
      this.#waits.push((answer) => {
        resolve(answer);
        leave();
      });
    });
  }

  /** Passes the answer to the waiting callers; undefined if it cannot be shared. Only the first call has an effect. */
  end(answer: Answer | undefined): void {
    if (this.isOver) return;
    this.isOver = true;
    const waits = this.#waits ?? [];
    this.#waits = undefined;
    for (const resolve of waits) resolve(answer);
  }

  cannotShare(): void {
    this.end(undefined);
  }

  onAbandoned(listener: () => void): void {
    if (this.#isAbandoned) listener();
    else {
      this.#abandoned ??= [];
      this.#abandoned.push(listener);
    }
  }
}
