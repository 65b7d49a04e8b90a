import type { Level } from '../bundle.ts';
import { ProofError } from '../errors.ts';
import { UnplannedRequest } from '../plans/plan.ts';
import type { StoreReads } from '../plans/reads.ts';
import { parseQuery, type Selection } from './document.ts';
import { isCursor } from './pages.ts';
import {
  type AnswerContext,
  type Basis,
  Call,
  Cursor,
  noMessage,
  type Result,
  type Run,
  type Source,
  source,
} from './rules.ts';
import { applies, ruleOf } from './schema.ts';
import { type Request, type Selected, selectedFields } from './select.ts';
import { FailedRead, run, type Steps, together } from './steps.ts';

/** An answer of the API. */
export interface Answer {
  readonly data?: unknown;
  readonly errors?: unknown;
}

/** What was asked. */
export interface Question {
  readonly document: string;
  readonly variables?: Readonly<Record<string, unknown>> | null | undefined;
  readonly operationName?: string | null | undefined;
}

/** The level of a field, and why. */
export interface FieldLevel {
  readonly level: Level;
  /** What its value was read from. Empty for values that are part of the request, and for those that are ASSERTED. */
  readonly basis: readonly Basis[];
  /** The rule that computes it, if it is RECOMPUTED; why it is no better, if it is ASSERTED. */
  readonly reason: string | undefined;
}

/** What follows from the stores. */
export interface Explanation {
  /** By path: response names, lists without indexes. In the order of the document. */
  readonly fields: ReadonlyMap<string, FieldLevel>;
  /** The paths of fields that are ASSERTED because a store was not at hand. */
  readonly unread: readonly string[];
  /** The requests whose answers were computed. */
  readonly requests: readonly { readonly path: string; readonly request: Uint8Array }[];
}

const order: readonly Level[] = ['PROVEN', 'RECOMPUTED', 'QUORUM', 'ASSERTED'];

/** Whether a level is lower than another. */
export const isLower = (one: Level, other: Level): boolean => order.indexOf(one) > order.indexOf(other);
const lowest = (...levels: readonly Level[]): Level => levels.reduce((one, other) => (isLower(other, one) ? other : one));

type Members = Readonly<Record<string, unknown>>;
const isObject = (value: unknown): value is Members => typeof value === 'object' && value !== null && !Array.isArray(value);
const isSteps = (value: Result | Steps<Result>): value is Steps<Result> =>
  typeof value === 'object' && value !== null && 'next' in value && typeof value.next === 'function';
const isSource = (value: Result): value is Source =>
  typeof value === 'object' && value !== null && 'message' in value && typeof value.type === 'string';

/** A value for messages. */
function shown(value: unknown): string {
  const text = value === undefined ? 'nothing' : JSON.stringify(value);
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}

/** Where an object or a value is in an answer. */
interface Place {
  readonly above?: Place;
  /** A response name, or an index. */
  readonly name: string | number;
  /** The names from the top on, without indexes. */
  readonly path: string;
}

const pathIn = ({ path }: Place, name: string): string => (path === '' ? name : `${path}.${name}`);
const within = (above: Place, name: string, path = pathIn(above, name)): Place => ({ above, name, path });
const textOf = ({ above, name }: Place): string => (above?.above === undefined ? `${name}` : `${textOf(above)}.${name}`);
const wrong = (place: Place, what: string): ProofError => new ProofError('WRONG_VALUE', what, textOf(place));
const differs = (place: Place, value: unknown, what: string): ProofError =>
  wrong(place, `is ${shown(value)}, but ${what} the proven bytes`);

/** A field of an object, and the path of its place. */
interface PlacedField extends Selected {
  readonly path: string;
}

/** The places of the fields that failed, and of all objects around them. */
function failedPlaces(errors: unknown): ReadonlySet<string> {
  const places = new Set<string>();
  for (const error of Array.isArray(errors) ? errors : []) {
    const path: unknown = isObject(error) ? error.path : undefined;
    if (Array.isArray(path))
      for (let length = 1; length <= path.length; length += 1) places.add(path.slice(0, length).join('.'));
  }
  return places;
}

/** Makes the request of a question. Throws MALFORMED. */
export function requestOf({ document, variables, operationName }: Question): Request {
  return { query: parseQuery(document, operationName ?? undefined), variables: variables ?? {} };
}

/**
 * Computes each field of an answer from stores, and compares it. Reads of what is not proven have to fail. Throws a
 * {@link ProofError} with the first field whose value does not follow, and the errors of reads that are none.
 */
export function* explain({ data, errors }: Answer, question: Question, context: AnswerContext): Steps<Explanation> {
  const request = requestOf(question);
  const computation: Run = { context, answers: new Map(), requests: [] };
  const fields = new Map<string, Omit<FieldLevel, 'basis'> & { readonly basis: Set<Basis> }>();
  const unread: string[] = [];
  const failures = failedPlaces(errors);
  const selectedByType = new Map<readonly Selection[], Map<string, readonly PlacedField[]>>();

  function note({ path }: Place, level: Level, basis: readonly Basis[], reason?: string): undefined {
    const before = fields.get(path);
    const all = before?.basis ?? new Set();
    for (const one of basis) all.add(one);
    if (before === undefined || isLower(level, before.level)) fields.set(path, { level, basis: all, reason });
  }

  /** Notes that a value and all within it are ASSERTED. */
  function assert(value: unknown, selections: readonly Selection[], place: Place, reason: string): undefined {
    const items: readonly unknown[] = Array.isArray(value) ? value : [];
    for (const item of items) assert(item, selections, place, reason);
    if (items.length === 0) note(place, 'ASSERTED', [], reason);
    if (!isObject(value)) return;
    for (const field of selectedFields(selections, request, () => true))
      if (Object.hasOwn(value, field.alias)) assert(value[field.alias], field.selections, within(place, field.alias), reason);
  }

  // Most fields need no further read. They are compared at once: these functions return what is left to do.

  function compare(
    result: Result,
    value: unknown,
    selections: readonly Selection[],
    place: Place,
    basis: readonly Basis[],
  ): Steps<unknown> | undefined {
    if (result === null) {
      if (value !== null) throw differs(place, value, 'it is null by');
    } else if (Array.isArray(result)) {
      if (!Array.isArray(value)) throw differs(place, value, 'it is a list by');
      if (value.length !== result.length)
        throw new ProofError('INCOMPLETE', `has ${value.length} entries, but there are ${result.length}`, textOf(place));
      const items: readonly Result[] = result;
      return rest(
        items.map((item, index) =>
          compare(item, value[index], selections, { above: place, name: index, path: place.path }, basis),
        ),
      );
    } else if (result instanceof Cursor) {
      if (!isCursor(value, result)) throw wrong(place, 'is not the cursor of this entry');
    } else if (isSource(result)) {
      if (!isObject(value)) throw differs(place, value, 'there is an object by');
      return object(result, value, selections, place, basis);
    } else if (value !== result) throw differs(place, value, `${shown(result)} follows from`);
    return undefined;
  }

  function rest(all: readonly (Steps<unknown> | undefined)[]): Steps<unknown> | undefined {
    const steps = all.filter((one) => one !== undefined);
    return steps.length === 0 ? undefined : together(steps);
  }

  function field(
    on: Source,
    selected: Selected,
    value: unknown,
    place: Place,
    inherited: readonly Basis[],
  ): Steps<unknown> | undefined {
    const { name, args, selections } = selected;
    if (name === '__typename') {
      note(place, on.level ?? 'PROVEN', inherited);
      return compare(on.type, value, [], place, inherited);
    }
    const rule = ruleOf(on.type, name);
    if (rule === undefined) return assert(value, selections, place, 'the verifier has no rule for it');
    const selects = (inner: string) => selectedFields(selections, request, () => true).some((one) => one.name === inner);
    const call = new Call(computation, on, args, selects);

    function failed(failure: unknown): undefined {
      const error = failure instanceof FailedRead ? failure.error : failure;
      if (error instanceof ProofError) throw new ProofError(error.code, error.message, textOf(place));
      if (failure instanceof FailedRead) {
        if (!(error instanceof UnplannedRequest)) throw error;
        unread.push(place.path);
      }
      // A request that no plan covers, or stored bytes of another form than the rules read.
      return assert(value, selections, place, error instanceof Error ? error.message : 'the stored bytes have another form');
    }

    function settled(result: Result): Steps<unknown> | undefined {
      if (value === null && result !== null && failures.has(textOf(place)))
        return note(place, 'ASSERTED', [], 'the server reports an error');
      const level = lowest(rule?.level ?? 'PROVEN', on.level ?? 'PROVEN', call.level);
      const basis = call.basis.length > 0 ? call.basis : inherited;
      note(place, level, basis, level === 'RECOMPUTED' ? (rule?.rule ?? on.rule) : undefined);
      return compare(result, value, selections, place, basis);
    }

    function* computed(steps: Steps<Result>): Steps<void> {
      let result: Result;
      try {
        result = yield* steps;
      } catch (failure) {
        return failed(failure);
      }
      yield* settled(result) ?? [];
    }

    let result: Result | Steps<Result>;
    try {
      result = rule.value(call);
    } catch (failure) {
      return failed(failure);
    }
    return isSteps(result) ? computed(result) : settled(result);
  }

  function object(
    on: Source,
    value: Members,
    selections: readonly Selection[],
    place: Place,
    basis: readonly Basis[],
  ): Steps<unknown> | undefined {
    // The objects of a list have the same selections, which no other place has.
    const byType = selectedByType.get(selections) ?? new Map<string, readonly PlacedField[]>();
    const selectedList =
      byType.get(on.type) ??
      selectedFields(selections, request, (type) => applies(type, on.type)).map((selected) => ({
        ...selected,
        path: pathIn(place, selected.alias),
      }));
    selectedByType.set(selections, byType.set(on.type, selectedList));
    for (const name of Object.keys(value))
      if (!selectedList.some(({ alias }) => alias === name)) throw wrong(within(place, name), 'was not asked for');
    return rest(
      selectedList.map((selected) => {
        const inner = within(place, selected.alias, selected.path);
        if (!Object.hasOwn(value, selected.alias)) throw wrong(inner, 'is left out');
        return field(on, selected, value[selected.alias], inner, basis);
      }),
    );
  }

  if (!isObject(data)) throw new ProofError('WRONG_VALUE', 'The answer has no data.');
  yield* object(source('Query', noMessage), data, request.query.selections, { name: '', path: '' }, []) ?? [];
  // Fields are finished in another order than that of the document.
  const inOrder = [...levelsOf(question).keys(), ...fields.keys()].flatMap((path) => {
    const level = fields.get(path);
    return level === undefined ? [] : [[path, { ...level, basis: [...level.basis] }] as const];
  });
  return { fields: new Map(inOrder), unread, requests: computation.requests };
}

/** Computes and compares as {@link explain}, from reads that take time. A server finds out with it what it has to prove. */
export const explained = (
  answer: Answer,
  question: Question,
  reads: StoreReads,
  context: AnswerContext,
): Promise<Explanation> => run(explain(answer, question, context), reads);

/** The most levels of fields that {@link levelsOf} looks at. */
const maxDepth = 64;

/**
 * The level that each field of a query can have, by its path. Fields of an object that can be of several types have the lowest level of
 * them. The proven bytes can make it lower: a plan does not cover all requests.
 */
export function levelsOf(question: Question): ReadonlyMap<string, Level> {
  const request = requestOf(question);
  const levels = new Map<string, Level>();

  function walk(types: readonly string[], selections: readonly Selection[], path: string, depth: number): void {
    if (depth > maxDepth) return;
    for (const type of types.length === 0 ? [''] : types) {
      for (const { alias, name, selections: inner } of selectedFields(
        selections,
        request,
        (on) => types.length === 0 || applies(on, type),
      )) {
        const place = path === '' ? alias : `${path}.${alias}`;
        const rule = ruleOf(type, name);
        const best =
          name === '__typename' && type !== '' ? 'PROVEN' : rule === undefined ? 'ASSERTED' : (rule.level ?? 'PROVEN');
        levels.set(place, lowest(best, levels.get(place) ?? 'PROVEN'));
        if (inner.length > 0) walk(rule?.types ?? [], inner, place, depth + 1);
      }
    }
  }

  walk(['Query'], request.query.selections, '', 0);
  return levels;
}
