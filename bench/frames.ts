const noBytes = Buffer.alloc(0);

/** What a reader of frames passes on. */
export interface FrameHandler {
  /** The last frame of a message has arrived. `bytes` is the length of its payload, in all frames. */
  message(bytes: number): void;
  ping(): void;
}

/** The length of the header of an unmasked frame; undefined if its second byte has not arrived. */
function headerLength(bytes: Buffer, at: number): number | undefined {
  const length = bytes[at + 1];
  if (length === undefined) return undefined;
  return length === 127 ? 10 : length === 126 ? 4 : 2;
}

/**
 * Creates the reader of a connection: a function that takes each chunk of bytes that a WebSocket server sends after the upgrade.
 * Frames of any length may be split anywhere. Payloads are skipped and not kept, so that a reader costs little.
 */
export function createFrameReader({ message, ping }: FrameHandler): (chunk: Buffer) => void {
  /** The start of a frame whose header has not arrived as a whole. */
  let start = noBytes;
  /** The bytes of the payload that have not arrived, and the first byte of its frame. */
  let left = 0;
  let first = 0;
  let bytes = 0;

  function endFrame(): void {
    const opcode = first & 0x0f;
    if (opcode === 9) ping();
    if (opcode > 2 || (first & 0x80) === 0) return;
    const length = bytes;
    bytes = 0;
    message(length);
  }

  return (arrived) => {
    const chunk = start.length === 0 ? arrived : Buffer.concat([start, arrived]);
    start = noBytes;
    let at = 0;
    if (left > 0) {
      at = Math.min(left, chunk.length);
      left -= at;
      if (left > 0) return;
      endFrame();
    }
    while (at < chunk.length) {
      const header = headerLength(chunk, at);
      if (header === undefined || at + header > chunk.length) {
        start = Buffer.from(chunk.subarray(at));
        return;
      }
      first = chunk[at] ?? 0;
      const length =
        header === 10 ? chunk.readUIntBE(at + 4, 6) : header === 4 ? chunk.readUInt16BE(at + 2) : (chunk[at + 1] ?? 0);
      if ((first & 0x0f) <= 2) bytes += length;
      at += header;
      const present = Math.min(length, chunk.length - at);
      at += present;
      left = length - present;
      if (left > 0) return;
      endFrame();
    }
  };
}
