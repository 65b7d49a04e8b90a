import type { ResponsePath } from 'graphql';
import type { Execution } from './execution.ts';

/** A field that is ready to be executed. */
export interface PlannedField {
  /** Its key in the response. */
  readonly key: string;
  /** Resolves and completes the field of an object. Returns a promise if anything in it is one. Throws if the object becomes null. */
  run(execution: Execution, object: unknown, path: ResponsePath | undefined): unknown;
}

/** An object of a response. */
export type ResponseObject = Record<string, unknown>;

/** The fields of an operation on one object type. */
export interface Selection {
  /** In the order of the response. */
  readonly fields: readonly PlannedField[];
  /** Creates an object for the values of the fields. */
  readonly create: () => ResponseObject;
}

/** Creates the selection of these fields. */
export function createSelection(fields: readonly PlannedField[]): Selection {
  // `__proto__` is a valid alias. In an object with a prototype, its assignment would replace the prototype.
  const isPlain = fields.every(({ key }) => key !== '__proto__');
  return { fields, create: isPlain ? () => ({}) : () => Object.create(null) };
}

/** Executes the fields of an object together. */
export function runSelection(
  execution: Execution,
  { fields, create }: Selection,
  object: unknown,
  path: ResponsePath | undefined,
): ResponseObject | Promise<ResponseObject> {
  const response = create();
  let pending = false;
  try {
    for (const field of fields) {
      const value = field.run(execution, object, path);
      response[field.key] = value;
      if (typeof value === 'object' && value instanceof Promise) pending = true;
    }
  } catch (error) {
    if (!pending) throw error;
    // The other fields end first, so that their errors are not lost and no rejection is unhandled.
    return settled(response, create).finally(() => {
      throw error;
    });
  }
  return pending ? settled(response, create) : response;
}

/** The same object when all its values have arrived. Rejects at the first one that fails. */
async function settled(response: ResponseObject, create: () => ResponseObject): Promise<ResponseObject> {
  const values = await Promise.all(Object.values(response));
  const complete = create();
  for (const [index, key] of Object.keys(response).entries()) complete[key] = values[index];
  return complete;
}

/** Executes the fields of an object one after another: each starts when the one before has its whole result. */
export function runSerially(
  execution: Execution,
  { fields, create }: Selection,
  object: unknown,
): ResponseObject | Promise<ResponseObject> {
  const response = create();
  let ready: ResponseObject | Promise<ResponseObject> = response;
  for (const field of fields) ready = ready instanceof Promise ? ready.then(() => next(field)) : next(field);
  return ready;

  function next(field: PlannedField): ResponseObject | Promise<ResponseObject> {
    const value = field.run(execution, object, undefined);
    response[field.key] = value;
    if (!(value instanceof Promise)) return response;
    return value.then((completed: unknown) => {
      response[field.key] = completed;
      return response;
    });
  }
}
