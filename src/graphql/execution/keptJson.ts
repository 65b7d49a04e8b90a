import { objectBytes, textBytes } from '../../chain/memory/sizes.ts';

/** The JSON of one selection on values that never change, by the value. It lives no longer than the value. */
export interface KeptJson {
  get(value: object): string | undefined;
  set(value: object, json: string): void;
}

/** The kept JSON of the selections of one plan, within a bound. */
export interface KeptSelections {
  /** Creates the kept JSON of one selection. */
  create(): KeptJson;
}

type Generation = WeakMap<object, string>;

/**
 * Creates the kept JSON of one plan. It keeps two generations of at most `maxBytes` each: when the newer one is full, the older one is
 * dropped. `onGrown` is called with the bytes by which the memory has grown, which are negative when a generation is dropped.
 */
export function createKeptSelections(maxBytes: number, onGrown: (bytes: number) => void): KeptSelections {
  const selections: { newer: Generation | undefined; older: Generation | undefined }[] = [];
  let newerBytes = 0;
  let olderBytes = 0;

  function makeRoom(): void {
    for (const selection of selections) {
      selection.older = selection.newer;
      selection.newer = undefined;
    }
    onGrown(-olderBytes);
    olderBytes = newerBytes;
    newerBytes = 0;
  }

  return {
    create() {
      const selection: (typeof selections)[number] = { newer: undefined, older: undefined };
      selections.push(selection);

      function set(value: object, json: string): void {
        const bytes = objectBytes + textBytes(json);
        if (bytes > maxBytes) return;
        if (newerBytes + bytes > maxBytes) makeRoom();
        newerBytes += bytes;
        onGrown(bytes);
        // A text that was joined of many keeps all of them alive until it is copied.
        selection.newer ??= new WeakMap();
        selection.newer.set(value, Buffer.from(json).toString());
      }

      return {
        get(value) {
          const known = selection.newer?.get(value);
          if (known !== undefined) return known;
          const older = selection.older?.get(value);
          // It is used, so it outlives the generation.
          if (older !== undefined) set(value, older);
          return older;
        },
        set,
      };
    },
  };
}
