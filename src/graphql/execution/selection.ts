import type { ResponsePath } from 'graphql';
import { objectBytes, textBytes } from '../../chain/memory/memoryBudget.ts';
import { sharedOrigin } from '../../reads/pin.ts';
import { type Completed, type Execution, type Json, joinJson, type Repeated, type Sharing } from './execution.ts';

/** The JSON of one selection on values that never change, by the value. It lives no longer than the value. */
interface KeptJson {
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
    const knownJson = this.#newer?.get(value);
    if (knownJson !== undefined) return knownJson;
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

/** A field that is ready to be executed. */
export interface PlannedField {
  /** Its key in the response. */
  readonly key: string;
  /** Resolves and completes the field of an object. Returns a promise if anything in it is one. Throws if the object becomes null. */
  run(execution: Execution, object: unknown, path: ResponsePath | undefined): Completed;
}

/** A field of an object in a response. */
interface SelectedKey {
  /** The JSON before its value. */
  readonly head: string;
  readonly run: PlannedField['run'];
}

/** The fields of an operation on one object type. */
export interface Selection {
  /** In the order of the response. */
  readonly fields: readonly SelectedKey[];
  /** The JSON of values that never change. */
  readonly kept: KeptJson;
}

export function createSelection(fields: readonly PlannedField[], keptJson: KeptJson): Selection {
  return {
    kept: keptJson,
    fields: fields.map(({ key, run }, index) => ({ head: `${index === 0 ? '{' : ','}"${key}":`, run })),
  };
}

/** The JSON of an object with these members. */
function objectJson(members: string): string {
  return members === '' ? '{}' : `${members}}`;
}

/** Executes the fields of an object together. */
export function runSelection(
  execution: Execution,
  { fields }: Selection,
  object: unknown,
  path: ResponsePath | undefined,
): Completed {
  let text = '';
  /** The texts and promises before `text`. undefined as long as there is no promise. */
  let pieces: Completed[] | undefined;
  try {
    for (const { head, run } of fields) {
      const value = run(execution, object, path);
      if (typeof value === 'string') {
        text += head + value;
      } else {
        pieces ??= [];
        pieces.push(text + head, value);
        text = '';
      }
    }
  } catch (error) {
    if (pieces === undefined) throw error;
    // The other fields end first, so that their errors are not lost and no rejection is unhandled.
    return settled(pieces).finally(() => {
      throw error;
    });
  }
  if (pieces === undefined) return objectJson(text);
  pieces.push(text);
  return settled(pieces);
}

/** The object when all its values have arrived. Rejects at the first one that fails. */
async function settled(pieces: readonly Completed[]): Promise<string> {
  const texts = await Promise.all(pieces);
  return objectJson(texts.map(joinJson).join(''));
}

/** Executes the fields of an object one after another: each starts when the one before has its whole result. */
export function runSerially(execution: Execution, { fields }: Selection, object: unknown): string | Promise<string> {
  let members: string | Promise<string> = '';
  for (const field of fields) {
    members = typeof members === 'string' ? next(members, field) : members.then((before) => next(before, field));
  }
  return typeof members === 'string' ? objectJson(members) : members.then(objectJson);

  function next(before: string, { head, run }: SelectedKey): string | Promise<string> {
    const value = run(execution, object, undefined);
    const append = (json: Json): string => before + head + joinJson(json);
    return typeof value === 'string' ? append(value) : value.then(append);
  }
}

export function createSharing(): Sharing {
  return { varied: 0, failures: 0, repeated: undefined };
}

/**
 * Executes the fields of an object, unless their JSON is known. A value of the state never changes. If the fields used nothing but the value and
 * constant arguments, their JSON is kept for all executions. If they also used the pin, the context or variables, it is equal in the same
 * execution, because a pin reads each value once.
 */
export function runShared(execution: Execution, selection: Selection, object: object, path: ResponsePath): Completed {
  const shared = sharedOrigin(object);
  if (shared === undefined) return runSelection(execution, selection, object, path);
  const { pin, origin } = shared;
  const keptText = selection.kept.get(origin);
  if (keptText !== undefined) return keptText;
  const { sharing } = execution;
  const knownText = sharing.repeated?.get(selection)?.get(origin);
  if (knownText !== undefined && knownText.pin === pin) {
    // It was not kept, so it used more than the value.
    sharing.varied += 1;
    return knownText.json;
  }
  const { varied, failures } = sharing;
  const uses = pin?.uses();
  const json = runSelection(execution, selection, object, path);
  if (typeof json !== 'string' || sharing.failures !== failures) return json;
  if (sharing.varied === varied && pin?.uses() === uses) selection.kept.set(origin, json);
  else repeat(sharing, selection, origin, { pin, json });
  return json;
}

function repeat(sharing: Sharing, selection: Selection, origin: object, repeated: Repeated): void {
  sharing.repeated ??= new Map();
  const knownTexts = sharing.repeated.get(selection);
  if (knownTexts === undefined) sharing.repeated.set(selection, new Map([[origin, repeated]]));
  else knownTexts.set(origin, repeated);
}
