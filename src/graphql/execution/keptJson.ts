import { objectBytes, textBytes } from '../../chain/memory/memoryBudget.ts';

/** The JSON of one selection on values that never change, by the value. It lives no longer than the value. */
export interface KeptJson {
  get(value: object): string | undefined;
  set(value: object, json: string): void;
}

type Generation = WeakMap<object, string>;

/**
 * The kept JSON of the selections of one plan. It keeps two generations of at most `maxBytes` each: when the newer one is full, the older one is
 * dropped. `onGrown` is called with the bytes by which the memory has grown, which are negative when a generation is dropped.
 */
export class KeptSelections {
  readonly #maxBytes: number;
  readonly #onGrown: (bytes: number) => void;
  /** Only those that have kept something. */
  readonly #selections = new Set<SelectionJson>();
  #newerBytes = 0;
  #olderBytes = 0;

  constructor(maxBytes: number, onGrown: (bytes: number) => void) {
    this.#maxBytes = maxBytes;
    this.#onGrown = onGrown;
  }

  /** Creates the kept JSON of one selection. */
  create(): KeptJson {
    return new SelectionJson(this);
  }

  /** Makes room for the JSON of a value. Returns false if it is too large. */
  admit(selection: SelectionJson, json: string): boolean {
    const bytes = objectBytes + textBytes(json);
    if (bytes > this.#maxBytes) return false;
    if (this.#newerBytes + bytes > this.#maxBytes) this.#dropOlder();
    this.#newerBytes += bytes;
    this.#selections.add(selection);
    this.#onGrown(bytes);
    return true;
  }

  #dropOlder(): void {
    for (const selection of this.#selections) selection.age();
    this.#onGrown(-this.#olderBytes);
    this.#olderBytes = this.#newerBytes;
    this.#newerBytes = 0;
  }
}

/** It is a class because each selection of each document has one, and most keep nothing. */
class SelectionJson implements KeptJson {
  readonly #owner: KeptSelections;
  #newer: Generation | undefined;
  #older: Generation | undefined;

  constructor(owner: KeptSelections) {
    this.#owner = owner;
  }

  get(value: object): string | undefined {
    const known = this.#newer?.get(value);
    if (known !== undefined) return known;
    const older = this.#older?.get(value);
    // It is used, so it outlives the generation.
    if (older !== undefined) this.set(value, older);
    return older;
  }

  set(value: object, json: string): void {
    if (!this.#owner.admit(this, json)) return;
    this.#newer ??= new WeakMap();
    // A text that was joined of many keeps all of them alive until it is copied.
    this.#newer.set(value, Buffer.from(json).toString());
  }

  /** Makes the newer generation the older one. */
  age(): void {
    this.#older = this.#newer;
    this.#newer = undefined;
  }
}
