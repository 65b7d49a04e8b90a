import { crc32, deflateRaw, deflateRawSync, constants as zlib } from 'node:zlib';

/** A gzip header without name or time (RFC 1952, 2.3). */
const gzipHeader = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]);

/** Bytes that are compressed on their own and joined with others later. */
export interface PackedPart {
  /** The bytes before compression. Not used of a part that no byte precedes. */
  readonly plain: Buffer;
  /** Their number. */
  readonly length: number;
  /** Blocks of deflate that end on a whole byte. The last one of the last part ends the stream. */
  readonly packed: Buffer;
  /** Its checksum. */
  readonly sum: number;
}

/** Shorter parts are stored: compressing them costs more than it saves. In bytes. */
const leastPacked = 512;

/** The most bytes in a stored block. */
const mostStored = 65_535;

/** Bytes as stored blocks of deflate (RFC 1951, 3.2.4). */
function storedBlocks(bytes: Buffer, isLast: boolean): Buffer {
  const blocks: Buffer[] = [];
  for (let begin = 0; begin < bytes.length || begin === 0; begin += mostStored) {
    const block = bytes.subarray(begin, begin + mostStored);
    const head = Buffer.alloc(5);
    head.writeUInt8(isLast && begin + mostStored >= bytes.length ? 1 : 0, 0);
    head.writeUInt16LE(block.length, 1);
    head.writeUInt16LE(block.length ^ 0xffff, 3);
    blocks.push(head, block);
  }
  return Buffer.concat(blocks);
}

function packedAs(plain: Buffer, packed: Buffer): PackedPart {
  return { plain, length: plain.length, packed, sum: crc32(plain) };
}

// A full flush ends on a whole byte, so that the parts can be joined.
const optionsOf = (level: number, isLast: boolean) => ({ level, ...(!isLast && { finishFlush: zlib.Z_FULL_FLUSH }) });

/** Compresses a part of a text at once. `isLast` for the last one. */
export function packPart(plain: Buffer, { level, isLast }: { readonly level: number; readonly isLast: boolean }): PackedPart {
  const isShort = plain.length < leastPacked;
  return packedAs(plain, isShort ? storedBlocks(plain, isLast) : deflateRawSync(plain, optionsOf(level, isLast)));
}

/** The same outside of the event loop. */
export async function packPartLater(
  plain: Buffer,
  { level, isLast }: { readonly level: number; readonly isLast: boolean },
): Promise<PackedPart> {
  if (plain.length < leastPacked) return packPart(plain, { level, isLast });
  const packed = await new Promise<Buffer>((resolve, reject) => {
    deflateRaw(plain, optionsOf(level, isLast), (error, result) => (error === null ? resolve(result) : reject(error)));
  });
  return packedAs(plain, packed);
}

/** The gzip of parts with a text between each two of them. One text less than there are parts. */
export function joinPacked(parts: readonly PackedPart[], texts: readonly Buffer[]): readonly Buffer[] {
  const pieces: Buffer[] = [gzipHeader];
  let [sum, length] = [0, 0];
  const add = ({ plain, length: own, packed, sum: first }: PackedPart): void => {
    // `crc32` of an empty buffer would start a new sum.
    if (own > 0) sum = length === 0 ? first : crc32(plain, sum);
    length += own;
    pieces.push(packed);
  };
  for (const [index, part] of parts.entries()) {
    add(part);
    const text = texts[index];
    if (text !== undefined) add(packedAs(text, storedBlocks(text, false)));
  }
  const trailer = Buffer.alloc(8);
  trailer.writeUInt32LE(sum, 0);
  trailer.writeUInt32LE(length % 2 ** 32, 4);
  pieces.push(trailer);
  return pieces;
}
