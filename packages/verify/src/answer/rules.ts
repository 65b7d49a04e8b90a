import type { Level } from '../bundle.ts';
import { concat, toHex } from '../bytes.ts';
import { plans } from '../plans/index.ts';
import { type PlanContext, UnplannedRequest } from '../plans/plan.ts';
import { Message } from '../plans/wire.ts';
import type { Args, Json } from './select.ts';
import { FailedRead, type Steps } from './steps.ts';

// What the verifier has of the schema: for each type, how the value of a field follows from answers of query methods. A field without a rule is
// ASSERTED.

/** An object of the schema: its type, and what its fields are computed from. */
export interface Source {
  readonly type: string;
  readonly message: Message;
  /** RECOMPUTED for an object that a rule makes. Its fields have no better level. */
  readonly level?: Level;
  /** The rule that makes it. */
  readonly rule?: string;
  /** Values that are in no message. */
  readonly own?: Readonly<Record<string, Result>>;
}

/** A cursor: the list, and the key of the item that it is at. */
export class Cursor {
  readonly list: string;
  readonly key: () => Uint8Array;

  constructor(list: string, key: () => Uint8Array) {
    this.list = list;
    this.key = key;
  }
}

/** The value of a field: JSON, an object, or a list of objects. */
export type Result = Json | Cursor | Source | readonly Source[];

/** What the value of a field was read from. */
export interface Basis {
  /** The path of the query method. */
  readonly method: string;
  /** How many keys of each store it read, those that are proven to be absent included. */
  readonly keys: Readonly<Record<string, number>>;
}

/** What a computation has of the chain beside its stores. */
export interface AnswerContext extends PlanContext {
  readonly height: bigint;
}

/** What one verification computes with, and what it has computed. */
export interface Run {
  readonly context: AnswerContext;
  readonly answers: Map<string, { readonly message: Message | null; readonly basis: Basis }>;
  readonly requests: { readonly path: string; readonly request: Uint8Array }[];
}

/** The computation of one field. */
export class Call {
  readonly run: Run;
  readonly on: Source;
  readonly args: Args;
  /** Whether a field of the result is selected. */
  readonly selects: (name: string) => boolean;
  readonly basis: Basis[] = [];
  /** A level that is lower than that of the rule. */
  level: Level = 'PROVEN';

  constructor(run: Run, on: Source, args: Args, selects: (name: string) => boolean) {
    this.run = run;
    this.on = on;
    this.args = args;
    this.selects = selects;
  }

  /** Computes the answer of a query method: the response, or null if the node refuses the request because something is absent. */
  *ask(path: string, ...fields: readonly Uint8Array[]): Steps<Message | null> {
    const request = concat(...fields);
    const id = `${path} ${toHex(request)}`;
    let answer = this.run.answers.get(id);
    if (answer === undefined) {
      const plan = plans.get(path);
      if (plan === undefined) throw new UnplannedRequest(`${path} has no plan`);
      const reading = plan.answer(request, this.run.context);
      const keys: Record<string, number> = {};
      let step = reading.next();
      while (!step.done) {
        const reads = step.value;
        const answers = (yield reads).map((one, index) => {
          if (one instanceof FailedRead) throw one;
          const store = reads[index]?.store ?? '';
          keys[store] = (keys[store] ?? 0) + (one === null || one instanceof Uint8Array ? 1 : one.length);
          return one;
        });
        step = reading.next(answers);
      }
      const message = 'value' in step.value ? new Message(step.value.value) : null;
      answer = { message, basis: { method: path, keys } };
      if (!this.run.answers.has(id)) this.run.requests.push({ path, request });
      this.run.answers.set(id, answer);
    }
    this.basis.push(answer.basis);
    return answer.message;
  }

  /** An argument that is text, or an id. */
  text(name: string): string {
    const value = this.args[name];
    if (typeof value !== 'string' && typeof value !== 'number') throw new UnplannedRequest(`the argument ${name} is no text`);
    return String(value);
  }

  /** An argument that is an address. */
  address(name: string): string {
    return this.text(name).toLowerCase();
  }

  /** An argument that is an unsigned integer. */
  uint(name: string): bigint {
    const text = this.text(name);
    if (!/^(0|[1-9]\d{0,19})$/.test(text) || BigInt(text) >= 2n ** 64n)
      throw new UnplannedRequest(`the argument ${name} is no unsigned integer`);
    return BigInt(text);
  }
}

/** How the value of a field is computed. */
export interface Rule {
  /** The types that the object, or the items of the list, can have. Absent for scalars. */
  readonly types?: readonly string[];
  /** The best level that the field can have: PROVEN if absent. */
  readonly level?: Level;
  /** The rule that computes the field, for people. */
  readonly rule?: string;
  readonly value: (call: Call) => Result | Steps<Result>;
}

/** The rules of a type by field. */
export type Rules = Readonly<Record<string, Rule>>;

/** Makes an object. */
export const source = (type: string, message: Message, more: Omit<Source, 'type' | 'message'> = {}): Source => ({
  type,
  message,
  ...more,
});

/** The messages of a repeated field. */
export const messagesOf = (message: Message, field: number): readonly Message[] =>
  message.all(field).map((bytes) => new Message(bytes));

/** A message without fields. */
export const noMessage: Message = new Message(new Uint8Array());

/** An object of type `Account`. */
export const accountOf = (address: string): Source => source('Account', noMessage, { own: { address } });

/** A field of `Source.own`. */
export const ownField = (name: string, more: Omit<Rule, 'value'> = {}): Rule => ({
  ...more,
  value: ({ on }) => on.own?.[name] ?? null,
});
