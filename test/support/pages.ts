import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import { expect } from 'vitest';
import type { Stack } from './stack.ts';

/** Records for each field of a response whether it was ever non-empty. JSON values are not traversed. */
export function note(value: unknown, path: string, filled: Map<string, boolean>): void {
  if (Array.isArray(value)) {
    filled.set(path, filled.get(path) === true || value.length > 0);
    for (const item of value) note(item, path, filled);
  } else if (typeof value === 'object' && value !== null && !path.endsWith('json') && !path.endsWith('Schema')) {
    filled.set(path, true);
    for (const [key, inner] of Object.entries(value)) note(inner, path === '' ? key : `${path}.${key}`, filled);
  } else filled.set(path, filled.get(path) === true || (value !== null && value !== ''));
}

/** Returns the recorded fields that were always empty. */
export function neverFilled(filled: ReadonlyMap<string, boolean>): string[] {
  return [...filled].filter(([, isFilled]) => !isFilled).map(([path]) => path);
}

/** Runs an operation with each of the variables, without errors. Returns the fields that are empty in every response. */
export async function emptyFields<T, V>(
  stack: Stack,
  document: TypedDocumentNode<T, V>,
  variables: readonly V[],
): Promise<string[]> {
  const filled = new Map<string, boolean>();
  for (const each of variables) {
    const { body } = await stack.ask(document, each);
    expect(body.errors).toBeUndefined();
    note(body.data, '', filled);
  }
  expect(filled.size).toBeGreaterThan(0);
  return neverFilled(filled);
}
