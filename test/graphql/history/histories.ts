import { applyPatch } from 'rfc6902';
import { expect } from 'vitest';
import type { Stack } from '../../support/stack.ts';

/** A result of a history. */
export interface Step {
  readonly height: string;
  readonly time: string;
  readonly data: unknown;
}

/** A page of a history, as `extensions.history` has it, with the result that it begins with. */
export interface Page {
  readonly data: unknown;
  readonly from: string;
  readonly time: string;
  readonly through: string;
  readonly next: string | null;
  readonly executions: number;
  /** The extensions of the error, if the page was refused. */
  readonly refusal?: Record<string, unknown>;
  readonly changes: readonly { readonly height: string; readonly time: string; readonly patch: never[] }[];
}

/** Sends a query over HTTP. Returns the JSON of the response. */
export async function send(stack: Pick<Stack, 'server'>, body: object, headers: Record<string, string> = {}) {
  const response = await fetch(`${stack.server.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  return (await response.json()) as {
    readonly data?: unknown;
    readonly errors?: readonly { readonly message: string; readonly extensions: Record<string, unknown> }[];
    readonly extensions?: Record<string, unknown>;
  };
}

/** Reads all pages of a history, up to one that is refused. */
export async function pagesOf(
  stack: Pick<Stack, 'server'>,
  query: string,
  variables: object,
  history: { readonly from: string; readonly to?: string; readonly first?: number; readonly every?: number },
): Promise<readonly Page[]> {
  const pages: Page[] = [];
  for (let from: string | null = history.from; from !== null; ) {
    const { data, errors, extensions } = await send(stack, { query, variables, extensions: { history: { ...history, from } } });
    if (errors !== undefined) {
      const refusal = errors[0]!.extensions;
      return [...pages, { data, from, time: '', through: from, next: null, executions: 0, changes: [], refusal }];
    }
    const page: Page = { ...(extensions!.history as Page), data };
    pages.push(page);
    from = page.next;
  }
  return pages;
}

/** The text of data without the heights in it, which alone are no change. */
export function withoutHeights(data: unknown): string {
  return JSON.stringify(data, (name, value: unknown) => (name === 'asOfHeight' ? undefined : value));
}

/** The results that differ from the one before, of all pages. */
export function stepsOf(pages: readonly Page[]): readonly Step[] {
  const steps: Step[] = [];
  for (const { data, from, time, changes } of pages) {
    const last = steps.at(-1);
    if (last === undefined) steps.push({ height: from, time, data });
    // A page begins with the state that the one before has led to.
    else expect(withoutHeights(data)).toBe(withoutHeights(last.data));
    const state = { data: structuredClone(data) };
    for (const change of changes) {
      const before = withoutHeights(state.data);
      for (const error of applyPatch(state, change.patch)) expect(error).toBeNull();
      // No change is sent twice.
      expect(withoutHeights(state.data)).not.toBe(before);
      steps.push({ height: change.height, time: change.time, data: structuredClone(state.data) });
    }
  }
  return steps;
}

/** The result at a height. */
export async function executeAt(stack: Pick<Stack, 'server'>, query: string, variables: object, height: bigint): Promise<Step> {
  const body = { query, variables, extensions: { time: true } };
  const { data, extensions } = await send(stack, body, { 'x-cosmos-block-height': height.toString() });
  const { time } = extensions as { time: string };
  return { height: height.toString(), time, data };
}

/** The results at every height from one to another, without those that are equal to the one before. */
export async function executeEverywhere(
  stack: Pick<Stack, 'server'>,
  query: string,
  variables: object,
  from: bigint,
  to: bigint,
): Promise<readonly Step[]> {
  const steps: Step[] = [];
  for (let height = from; height <= to; height += 1n) {
    const step = await executeAt(stack, query, variables, height);
    const last = steps.at(-1);
    if (last === undefined || withoutHeights(last.data) !== withoutHeights(step.data)) steps.push(step);
  }
  return steps;
}
