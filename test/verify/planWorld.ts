import {
  computedNow,
  type HeldReads,
  type MethodAnswer,
  type PlanContext,
  plans,
  type Row,
  UnplannedRequest,
} from '../../packages/verify/src/plans/index.ts';
import { parseTime } from '../../src/chain/base/time.ts';
import { recording } from '../recordings/recording.ts';

/** One answer of a real node, and the contents of the stores at the same height. */
export interface PlanQuery {
  readonly path: string;
  /** The request's bytes in hex. */
  readonly request: string;
  readonly code: number;
  readonly codespace: string;
  readonly log: string;
  /** The bytes of the response in base64. */
  readonly value: string;
}

interface PlanRecording {
  readonly height: string;
  readonly time: string;
  readonly prefix: string;
  /** The rows by store: the key in hex, the value in base64. */
  readonly stores: Readonly<Record<string, readonly (readonly [string, string])[]>>;
  readonly queries: readonly PlanQuery[];
}

/** Rows by store, by their key in hex. */
export type Contents = ReadonlyMap<string, ReadonlyMap<string, Uint8Array>>;

const bytesOf = (text: string, encoding: 'hex' | 'base64'): Uint8Array => new Uint8Array(Buffer.from(text, encoding));
export const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

const recorded = recording<PlanRecording>('plans');

export const planQueries = recorded.queries;
export const planContext: PlanContext = { prefix: recorded.prefix, time: parseTime(recorded.time) };
export const planContents: Contents = new Map(
  Object.entries(recorded.stores).map(([store, rows]) => [
    store,
    new Map(rows.map(([key, value]) => [key, bytesOf(value, 'base64')])),
  ]),
);

/** Reads of contents, of which each returns the rows that its bounds ask for and no more. `see` hears of each row. */
export function readsOf(contents: Contents, see: (store: string, key: string) => void = () => {}): HeldReads {
  const rowsOf = (store: string) => contents.get(store) ?? new Map<string, Uint8Array>();
  const sortedKeys = new Map<string, readonly string[]>();
  const keysOf = (store: string) => {
    const keys = sortedKeys.get(store) ?? [...rowsOf(store).keys()].sort();
    sortedKeys.set(store, keys);
    return keys;
  };
  return {
    get(store, key) {
      const value = rowsOf(store).get(hexOf(key));
      if (value !== undefined) see(store, hexOf(key));
      return value ?? null;
    },
    range(store, prefix, { from = prefix, most }) {
      const [start, first] = [hexOf(prefix), hexOf(from)];
      const keys = keysOf(store).filter((key) => key.startsWith(start) && key >= first);
      return keys.slice(0, most).map((key): Row => {
        see(store, key);
        return [bytesOf(key, 'hex'), rowsOf(store).get(key) ?? new Uint8Array()];
      });
    },
  };
}

/** What a plan says to a request. */
export function answerOf(query: Pick<PlanQuery, 'path' | 'request'>, reads: HeldReads, context = planContext): MethodAnswer {
  const plan = plans.get(query.path);
  if (plan === undefined) throw new Error(`${query.path} has no plan`);
  return computedNow(plan.answer(bytesOf(query.request, 'hex'), context), reads);
}

/** An answer as text: the bytes, or the refusal. */
export function answerText(answer: MethodAnswer): string {
  if ('value' in answer) return Buffer.from(answer.value).toString('base64');
  return `${answer.refusal.codespace} ${answer.refusal.code}: ${answer.refusal.log}`;
}

/** The recorded answer as such a text. */
export const recordedText = ({ code, codespace, log, value }: PlanQuery): string =>
  code === 0 ? value : `${codespace} ${code}: ${log}`;

/** The text of an answer, or of the error that the plan throws. */
export function outcomeText(query: PlanQuery, reads: HeldReads): string {
  try {
    return answerText(answerOf(query, reads));
  } catch (error) {
    if (error instanceof UnplannedRequest) return `not planned: ${error.message}`;
    return `thrown: ${error instanceof Error ? error.message : error}`;
  }
}
