import {
  type ExecutionResult,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLError,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  locatedError,
  type OperationDefinitionNode,
  type ResponsePath,
  responsePathAsArray,
} from 'graphql';
import { objectBytes, textBytes } from '../../chain/memory/memoryBudget.ts';
import { isModuleAbsent } from '../../reads/errors.ts';
import { heightPlace, type Pin, sharedOrigin } from '../../reads/pin.ts';

/** Whether GraphQL treats this value of a resolver as a promise. */
export function isPromiseLike(value: unknown): value is PromiseLike<unknown> {
  if (value instanceof Promise) return true;
  const mayHaveMethods = (typeof value === 'object' && value !== null) || typeof value === 'function';
  return mayHaveMethods && 'then' in value && typeof value.then === 'function';
}

/** What `next` returns for the result of a promise. It is called in the same turn as by graphql-js. */
export function chain<T>(promise: PromiseLike<unknown>, next: (result: unknown) => T | PromiseLike<T>): Promise<T> {
  const chained = promise.then(next);
  return chained instanceof Promise ? chained : Promise.resolve(chained);
}

/** Marks the rejections of promises whose results are not used as handled. */
export function ignoreRejections(values: readonly unknown[]): void {
  for (const value of values) if (isPromiseLike(value)) value.then(undefined, () => undefined);
}

/** A completed value as JSON. What promises resolve to may be a list: the JSON of its items, of which several may be in one text with commas. */
type Json = string | readonly Json[];

/** A completed value, or a promise of it. */
export type Completed = string | Promise<Json>;

/** The JSON of null. No other value has this JSON. */
export const nullJson = 'null';

/** Texts without characters that JSON escapes. Surrogates are left to `JSON.stringify`, which escapes those without a pair. */
const plain = /^[ !#-[\]-\ud7ff\ue000-\uffff]*$/;

/** The JSON of a text. */
export function textJson(text: string): string {
  return plain.test(text) ? `"${text}"` : JSON.stringify(text);
}

/** The JSON of frozen values, such as decoded messages, which many executions print. It lives as long as its value. */
const frozenJson = new WeakMap<object, string>();

/** The JSON of a serialized leaf. A value that JSON cannot express is null, as in a list. */
export function leafJson(value: unknown): string {
  if (typeof value === 'string') return textJson(value);
  if (typeof value === 'boolean') return value ? 'true' : 'false';
  if (typeof value !== 'object' || value === null || !Object.isFrozen(value)) return JSON.stringify(value) ?? nullJson;
  const knownJson = frozenJson.get(value);
  if (knownJson !== undefined) return knownJson;
  const json = JSON.stringify(value) ?? nullJson;
  frozenJson.set(value, json);
  return json;
}

/** The JSON as one text. */
export function joinJson(json: Json): string {
  return typeof json === 'string' ? json : `[${json.map(joinJson).join()}]`;
}

/** Values of variables or arguments, by name. */
export type Values = Readonly<Record<string, unknown>>;

/** The operation that is executed, and what it is resolved with. */
export interface Source {
  readonly schema: GraphQLSchema;
  readonly operation: OperationDefinitionNode;
  readonly fragments: Readonly<Record<string, FragmentDefinitionNode>>;
}

/** The JSON of a selection on a value under a pin. */
interface Repeated {
  readonly pin: Pin | undefined;
  readonly json: string;
}

/** The state of one execution. */
export interface Execution {
  readonly source: Source;
  readonly rootValue: unknown;
  readonly contextValue: unknown;
  /** The coerced variables. */
  readonly variables: Values;
  /** The arguments that depend on variables, by the slot of their field. All objects of a list share them. */
  readonly args: (Values | undefined)[];
  /** In the order in which they were added. */
  readonly errors: GraphQLError[];
  /** The paths of the values that errors have set to null. undefined in it is the path of the whole result. */
  nulledPaths: Set<ResponsePath | undefined> | undefined;
  /** Counts what resolvers used besides their object, its pin and constant arguments: the context, variables, and other information. */
  varied: number;
  /** Counts the errors, also those below a value that is null already. */
  failures: number;
  /** The JSON that was written in this execution, by the selection and the value. undefined as long as none was. */
  repeated: Map<Selection, Map<object, Repeated>> | undefined;
}

/** Adds the error that set the value at `path` to null. undefined is the path of the whole result. Ignores an error below a value that is null already. */
export function addError(execution: Execution, error: GraphQLError, path: ResponsePath | undefined): void {
  execution.nulledPaths ??= new Set();
  const { nulledPaths } = execution;
  if (nulledPaths.has(undefined)) return;
  for (let at = path; at !== undefined; at = at.prev) if (nulledPaths.has(at)) return;
  nulledPaths.add(path);
  execution.errors.push(error);
}

/** The types whose fields are what a caller asks for. Fields of other types add to an object. */
const queryTypes: ReadonlySet<string> = new Set(['Query', 'Snapshot', 'Mutation', 'Subscription']);

/**
 * Returns the JSON of null for a failed value that may be null, and adds its error. Throws the error otherwise. A field of an object that only a module adds
 * which the chain does not have is null without an error.
 */
export function failed(
  execution: Execution,
  error: unknown,
  { nodes, parentType }: SelectedField,
  path: ResponsePath,
  isNullable: boolean,
): string {
  if (isNullable && isModuleAbsent(error) && !queryTypes.has(parentType.name)) return nullJson;
  execution.failures += 1;
  // An error that has a path already keeps it.
  const ownError = locatedError(error, nodes, responsePathAsArray(path));
  if (!isNullable) throw ownError;
  addError(execution, ownError, path);
  return nullJson;
}

/** A field of an operation on one object type: the nodes with the same key in the response. */
export interface SelectedField {
  /** Its key in the response. */
  readonly key: string;
  readonly nodes: readonly FieldNode[];
  readonly parentType: GraphQLObjectType;
  readonly fieldName: string;
  readonly returnType: GraphQLResolveInfo['returnType'];
}

/** Completes the value of a field or of a list item. Returns a promise if anything below it is one. Throws what makes the value null. */
export type Complete = (execution: Execution, value: unknown, path: ResponsePath) => Completed;

/** What GraphQL passes to a resolver as its fourth argument. `path` may be the path of an item of the field. */
export function resolveInfo(
  { source, rootValue, variables }: Execution,
  { nodes, parentType, fieldName, returnType }: SelectedField,
  path: ResponsePath,
): GraphQLResolveInfo {
  let at = path;
  while (typeof at.key === 'number' && at.prev !== undefined) at = at.prev;
  return {
    fieldName,
    fieldNodes: nodes,
    returnType,
    parentType,
    path: at,
    schema: source.schema,
    fragments: source.fragments,
    rootValue,
    operation: source.operation,
    variableValues: variables,
  };
}

/** The result of an execution, whose data is JSON. */
export interface JsonResult extends Omit<ExecutionResult, 'data'> {
  /** The JSON of the data: `null` if an error reached the root. undefined if nothing was executed. */
  readonly data?: string;
}

/** Whether a result has its data as JSON. */
export function isJsonResult(result: unknown): result is JsonResult {
  return typeof result === 'object' && result !== null && (!('data' in result) || typeof result.data === 'string');
}

/** The extensions of most results: the place of their height. They are one object, whose JSON is written once. */
export const heightExtensions = Object.freeze({ height: heightPlace.toString() });
const heightJson = JSON.stringify(heightExtensions);

/** The JSON of a result, with its members in their order. */
export function resultJson(result: JsonResult): string {
  let members = '';
  for (const [name, value] of Object.entries(result)) {
    const json = name === 'data' ? result.data : value === heightExtensions ? heightJson : JSON.stringify(value);
    if (json !== undefined) members += `${members === '' ? '' : ','}"${name}":${json}`;
  }
  return `{${members}}`;
}

/** The JSON of one selection on values that never change, by the value. It lives no longer than the value. */
interface SelectionJson {
  newerJson: WeakMap<object, string> | undefined;
  olderJson: WeakMap<object, string> | undefined;
}

/** Keeps the JSON of the selections of one plan. */
interface KeptJson {
  get(selection: SelectionJson, value: object): string | undefined;
  /** Keeps nothing that is larger than a generation. */
  set(selection: SelectionJson, value: object, json: string): void;
}

/**
 * Keeps two generations of at most `maxBytes` each. When the newer one is full, the older one is dropped. `onGrown` is called with the bytes by which
 * the memory has grown, which are negative when a generation is dropped.
 */
export function createKeptJson(maxBytes: number, onGrown: (bytes: number) => void): KeptJson {
  /** Only those that have kept something. */
  const selections = new Set<SelectionJson>();
  let [newerBytes, olderBytes] = [0, 0];

  function get(selection: SelectionJson, value: object): string | undefined {
    const newer = selection.newerJson?.get(value);
    if (newer !== undefined) return newer;
    const older = selection.olderJson?.get(value);
    // It is used, so it outlives the generation.
    if (older !== undefined) set(selection, value, older);
    return older;
  }

  function set(selection: SelectionJson, value: object, json: string): void {
    const bytes = objectBytes + textBytes(json);
    if (bytes > maxBytes) return;
    if (newerBytes + bytes > maxBytes) dropOlder();
    newerBytes += bytes;
    selections.add(selection);
    onGrown(bytes);
    selection.newerJson ??= new WeakMap();
    // A text that was joined of many keeps all of them alive until it is copied.
    selection.newerJson.set(value, Buffer.from(json).toString());
  }

  /** Makes the newer generation the older one. */
  function dropOlder(): void {
    for (const selection of selections) {
      selection.olderJson = selection.newerJson;
      selection.newerJson = undefined;
    }
    onGrown(-olderBytes);
    olderBytes = newerBytes;
    newerBytes = 0;
  }

  return { get, set };
}

/** A field of an object, ready to be executed. */
export interface PlannedField {
  /** The JSON before its value: the bracket or comma, and its key in the response. */
  readonly head: string;
  /** Resolves and completes the field of an object. Returns a promise if anything in it is one. Throws if the object becomes null. */
  run(execution: Execution, object: unknown, path: ResponsePath | undefined): Completed;
}

/** The fields of an operation on one object type. */
export interface Selection extends SelectionJson {
  /** In the order of the response. */
  readonly fields: readonly PlannedField[];
  /** Keeps the JSON of values that never change. */
  readonly keptJson: KeptJson;
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
    for (const field of fields) {
      const value = field.run(execution, object, path);
      if (typeof value === 'string') {
        text += field.head + value;
      } else {
        pieces ??= [];
        pieces.push(text + field.head, value);
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
  if (pieces === undefined) return text === '' ? '{}' : `${text}}`;
  pieces.push(`${text}}`);
  return settled(pieces);
}

/** The whole text when all pieces have arrived. Rejects at the first one that fails. */
async function settled(pieces: readonly Completed[]): Promise<string> {
  let text = '';
  for (const piece of await Promise.all(pieces)) text += joinJson(piece);
  return text;
}

/** Executes the fields of an object one after another: each starts when the one before has its whole result. */
export function runSerially(execution: Execution, { fields }: Selection, object: unknown): string | Promise<string> {
  let members: string | Promise<string> = '';
  for (const field of fields) {
    members = typeof members === 'string' ? next(members, field) : members.then((before) => next(before, field));
  }
  const end = fields.length === 0 ? '{}' : '}';
  return typeof members === 'string' ? members + end : members.then((text) => text + end);

  function next(before: string, { head, run }: PlannedField): string | Promise<string> {
    const value = run(execution, object, undefined);
    return typeof value === 'string' ? before + head + value : value.then((json) => before + head + joinJson(json));
  }
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
  const keptText = selection.keptJson.get(selection, origin);
  if (keptText !== undefined) return keptText;
  const knownText = execution.repeated?.get(selection)?.get(origin);
  if (knownText !== undefined && knownText.pin === pin) {
    // It was not kept, so it used more than the value.
    execution.varied += 1;
    return knownText.json;
  }
  const { varied, failures } = execution;
  const uses = pin?.uses();
  const json = runSelection(execution, selection, object, path);
  if (typeof json !== 'string' || execution.failures !== failures) return json;
  if (execution.varied === varied && pin?.uses() === uses) {
    selection.keptJson.set(selection, origin, json);
    return json;
  }
  execution.repeated ??= new Map();
  const knownTexts = execution.repeated.get(selection);
  if (knownTexts === undefined) execution.repeated.set(selection, new Map([[origin, { pin, json }]]));
  else knownTexts.set(origin, { pin, json });
  return json;
}
