import { isDeepStrictEqual } from 'node:util';
import type { z } from 'zod';
import { defaultBounds } from '../../../src/config/bounds.ts';
import { createRouteMatcher } from '../../../src/surfaces/aggregates/route.ts';
import { createRouteTable } from '../../../src/surfaces/aggregates/routeTable.ts';
import { errorSchema } from '../../../src/surfaces/aggregates/schemas.ts';
import type { Stack } from '../../support/stack.ts';

/** A decoded response. */
export interface DecodedResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Readonly<Record<string, unknown>>;
}

const matchRoute = createRouteMatcher(createRouteTable(defaultBounds));

/** Checks that every object in the body has exactly the members of its schema. */
function check(schema: z.ZodType, body: unknown): void {
  const { error, data } = schema.safeParse(body);
  if (error !== undefined) throw new Error(`not as described: ${JSON.stringify(error.issues)}`);
  // The parsed data lacks members that the schema does not contain.
  if (!isDeepStrictEqual(data, body)) throw new Error(`more than is described: ${JSON.stringify(body)}`);
}

/** Requests an aggregate by its path after `/v1/`, and checks the response against the schema of its route. */
export async function ask(stack: Stack, path: string, headers: Record<string, string> = {}): Promise<DecodedResponse> {
  const response = await fetch(`${stack.server.url}/v1/${path}`, { headers });
  const body = (await response.json()) as DecodedResponse['body'];
  const match = matchRoute(`/v1/${path.split('?', 1)[0]}`);
  check(response.ok ? match!.route.response.schema : errorSchema, body);
  return { status: response.status, headers: response.headers, body };
}

/** Requests an aggregate at a height. */
export function askAt(stack: Stack, height: bigint | number, path: string): Promise<DecodedResponse> {
  return ask(stack, path, { 'x-cosmos-block-height': String(height) });
}
