import { isDeepStrictEqual } from 'node:util';
import type { z } from 'zod';
import { defaultBounds } from '../../../src/config/bounds.ts';
import { errorSchema } from '../../../src/http/aggregates/errorShape.ts';
import { matchRoute } from '../../../src/http/aggregates/match.ts';
import type { Route } from '../../../src/http/aggregates/route.ts';
import { createRouteTable } from '../../../src/http/aggregates/routeTable.ts';
import type { Stack } from '../../support/stack.ts';

/** An answer as a client reads it. */
export interface Told {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Readonly<Record<string, unknown>>;
}

const routes: readonly Route[] = createRouteTable(defaultBounds);

/** No more and no less than the schema says, of every object in it. */
function check(schema: z.ZodType, body: unknown): void {
  const { error, data } = schema.safeParse(body);
  if (error !== undefined) throw new Error(`not as described: ${JSON.stringify(error.issues)}`);
  // What the schema does not name is left out of what it reads.
  if (!isDeepStrictEqual(data, body)) throw new Error(`more than is described: ${JSON.stringify(body)}`);
}

/** Asks an aggregate, by what stands behind `/v1/`. Whatever it says must be as its route describes it. */
export async function ask(stack: Stack, path: string, headers: Record<string, string> = {}): Promise<Told> {
  const response = await fetch(`${stack.server.url}/v1/${path}`, { headers });
  const body = (await response.json()) as Told['body'];
  const match = matchRoute(routes, `/v1/${path.split('?', 1)[0]}`);
  check(response.ok ? match!.route.response.schema : errorSchema, body);
  return { status: response.status, headers: response.headers, body };
}

/** The same at a height. */
export function askAt(stack: Stack, height: bigint | number, path: string): Promise<Told> {
  return ask(stack, path, { 'x-cosmos-block-height': String(height) });
}
