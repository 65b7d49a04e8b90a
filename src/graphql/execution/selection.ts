import type { ResponsePath } from 'graphql';
import type { Execution } from './execution.ts';
import { type Completed, type Json, joined } from './json.ts';
import type { KeptJson } from './keptJson.ts';

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

/** Creates the selection of these fields. */
export function createSelection(fields: readonly PlannedField[], kept: KeptJson): Selection {
  return { kept, fields: fields.map(({ key, run }, index) => ({ head: `${index === 0 ? '{' : ','}"${key}":`, run })) };
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
  return objectJson(texts.map(joined).join(''));
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
    const append = (json: Json): string => before + head + joined(json);
    return typeof value === 'string' ? append(value) : value.then(append);
  }
}
