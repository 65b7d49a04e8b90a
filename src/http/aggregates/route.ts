import { z } from 'zod';
import type { Pin } from '../../reads/pin.ts';
import type { Parameters, Values } from './parameter.ts';

/** What is written as a schema says; lists may be read-only. */
export type Written<T> = T extends object ? { readonly [K in keyof T]: Written<T[K]> } : T;

/** What a request to a route asks, read from its parameters. */
export interface Asked {
  /** What it is charged: what the graph charges for the same. */
  readonly points: number;
  /** Whether the answer at a height may still change: what a node's index tells is written behind the block. */
  readonly live: boolean;
  /** The answer at a height, without that height; null when the chain has no such thing. */
  answer(pin: Pin): Promise<object | null>;
}

/** A route: what the router follows and what the OpenAPI description tells. All of them are GET, and need the scope `read`. */
export interface Route {
  /** As OpenAPI has it: `/v1/balances/{address}`. */
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly parameters: Parameters;
  /** Full names of the chain's services without which there is no answer. */
  readonly services: readonly string[];
  /** Of the answer with status 200. */
  readonly response: { readonly name: string; readonly schema: z.ZodObject };
  /** What a request must name to get an answer, as the end of a sentence; undefined where there is always one. Else status 404. */
  readonly present: { readonly field: string; readonly bound: string } | undefined;
  /** Reads the parameters, decoded, by name. Bad ones are BAD_USER_INPUT. */
  ask(texts: ReadonlyMap<string, string>): Asked;
}

/** What all answers begin with. */
export const heightFields = {
  blockHeight: z.string().regex(/^\d+$/).describe('The block that all of the answer is of.'),
  blockTime: z.iso.datetime({ precision: null }).describe('Its time.'),
};

/** A route, typed by its parameters and the fields of its answer. */
export interface RouteDefinition<P extends Parameters, F extends z.ZodRawShape>
  extends Omit<Route, 'parameters' | 'response' | 'ask' | 'present'> {
  readonly parameters: P;
  /** Name of the answer's schema. */
  readonly name: string;
  /** Fields of the answer, beside {@link heightFields}. */
  readonly fields: F;
  /** Never where it is absent. */
  live?(values: Values<P>): boolean;
  readonly present?: Route['present'];
  /** What speaks against the parameters together is thrown here. */
  points(values: Values<P>): number;
  answer(pin: Pin, values: Values<P>): Promise<Written<z.output<z.ZodObject<F>>> | null>;
}

/** Makes a route. */
export function createRoute<P extends Parameters, F extends z.ZodRawShape>(definition: RouteDefinition<P, F>): Route {
  const { path, operationId, summary, description, parameters, services, name, fields, live, present, points, answer } =
    definition;
  const schema = z.object({ ...heightFields, ...fields });
  return {
    path,
    operationId,
    summary,
    description,
    parameters,
    services,
    response: { name, schema },
    present,
    ask(texts) {
      const read = Object.entries(parameters).map(([each, parameter]) => [each, parameter.read(texts.get(each), each)]);
      // Object.fromEntries forgets which value is whose.
      const values = Object.fromEntries(read) as Values<P>;
      return { points: points(values), live: live?.(values) ?? false, answer: (pin) => answer(pin, values) };
    },
  };
}
