import { z } from 'zod';
import type { Pin } from '../../reads/pin.ts';
import type { Parameters, Values } from './parameter.ts';

/** The read-only variant of a schema's type. */
export type Written<T> = T extends object ? { readonly [K in keyof T]: Written<T[K]> } : T;

/** A decoded request to a route. */
export interface RouteRequest {
  /** Its price in points: that of the same read in GraphQL. */
  readonly points: number;
  /**
   * Whether the response at a height can still change, because it comes from a node's index, which is updated after the block.
   */
  readonly live: boolean;
  /** Reads the response at a height. It does not contain the height. null if the requested object does not exist. */
  answer(pin: Pin): Promise<object | null>;
}

/** A route, for both the router and the OpenAPI description. Every route is a GET and needs the scope `read`. */
export interface Route {
  /** The path template of OpenAPI: `/v1/balances/{address}`. */
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly parameters: Parameters;
  /** Full names of the chain's services that the route needs. */
  readonly services: readonly string[];
  /** The schema of a successful response. */
  readonly response: { readonly name: string; readonly schema: z.ZodObject };
  /**
   * The parameter that must identify an existing object, and what it must be, as the end of a sentence. Status 404 if it does
   * not. undefined if there always is a response.
   */
  readonly present: { readonly field: string; readonly bound: string } | undefined;
  /** Converts the decoded texts of the parameters. Throws BAD_USER_INPUT if one is invalid. */
  decode(texts: ReadonlyMap<string, string>): RouteRequest;
}

/** The first fields of every response. */
export const heightFields = {
  blockHeight: z.string().regex(/^\d+$/).describe('Height of the block at which the whole response was read.'),
  blockTime: z.iso.datetime({ precision: null }).describe('Time of that block.'),
};

/** A route, typed by its parameters and the fields of its response. */
export interface RouteDefinition<P extends Parameters, F extends z.ZodRawShape>
  extends Omit<Route, 'parameters' | 'response' | 'decode' | 'present'> {
  readonly parameters: P;
  /** Name of the response's schema. */
  readonly name: string;
  /** Fields of the response, in addition to {@link heightFields}. */
  readonly fields: F;
  /** See {@link RouteRequest.live}. If absent, the response is not live. */
  live?(values: Values<P>): boolean;
  readonly present?: Route['present'];
  /** Returns the price in points. Throws BAD_USER_INPUT for an invalid combination of parameters. */
  points(values: Values<P>): number;
  answer(pin: Pin, values: Values<P>): Promise<Written<z.output<z.ZodObject<F>>> | null>;
}

/** Creates a route. */
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
    decode(texts) {
      const read = Object.entries(parameters).map(([each, parameter]) => [each, parameter.read(texts.get(each), each)]);
      // Object.fromEntries loses the types of the values.
      const values = Object.fromEntries(read) as Values<P>;
      return { points: points(values), live: live?.(values) ?? false, answer: (pin) => answer(pin, values) };
    },
  };
}
