/** A place in a block: the index of a transaction (0 for the block itself) and the index of one of its events. */
export interface EventPlace {
  readonly item: number;
  readonly event: number;
}

/** The most events of an item in the number of a place. */
const eventsMax = 2 ** 24;

/** One number for a place, in the order of places. */
export function placeNumber({ item, event }: EventPlace): number {
  return item * eventsMax + event;
}

/** The index of the item in the number of a place. */
export function itemOfPlace(place: number): number {
  return Math.floor(place / eventsMax);
}

/** The index of the event in the number of a place. */
export function eventOfPlace(place: number): number {
  return place % eventsMax;
}

/** Writes ascending places as pairs of the step to the next item and the event, in groups of seven bits. */
export function writePlaces(places: readonly EventPlace[]): Uint8Array {
  const bytes: number[] = [];
  const write = (value: number): void => {
    let rest = value;
    for (; rest > 0x7f; rest = Math.floor(rest / 128)) bytes.push((rest & 0x7f) | 0x80);
    bytes.push(rest);
  };
  let last = 0;
  for (const { item, event } of places) {
    write(item - last);
    write(event);
    last = item;
  }
  return Uint8Array.from(bytes);
}

/** Reads what {@link writePlaces} wrote, as the numbers of the places. */
export function readPlaces(bytes: Uint8Array): readonly number[] {
  const places: number[] = [];
  let at = 0;
  const read = (): number => {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = bytes[at++] ?? 0;
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
    }
  };
  let item = 0;
  while (at < bytes.length) {
    item += read();
    places.push(placeNumber({ item, event: read() }));
  }
  return places;
}

/** The number of bits of an id of a transaction that hold its index in the block. */
const indexBits = 20n;

/** The id of a transaction in the archive. Ids ascend in the order of the chain. */
export function transactionId(height: bigint, index: number): bigint {
  return (height << indexBits) + BigInt(index);
}

/** The height in the id of a transaction. */
export function heightOfId(id: bigint): bigint {
  return id >> indexBits;
}

/** The index in the block in the id of a transaction. */
export function indexOfId(id: bigint): number {
  return Number(BigInt.asUintN(Number(indexBits), id));
}
