import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import { expect } from 'vitest';
import type { Stack } from './stack.ts';

/** Notes, for each field of an answer, whether it ever held something. What is JSON is not looked into. */
export function note(value: unknown, path: string, filled: Map<string, boolean>): void {
  if (Array.isArray(value)) {
    filled.set(path, filled.get(path) === true || value.length > 0);
    for (const item of value) note(item, path, filled);
  } else if (typeof value === 'object' && value !== null && !path.endsWith('json') && !path.endsWith('Schema')) {
    filled.set(path, true);
    for (const [key, inner] of Object.entries(value)) note(inner, path === '' ? key : `${path}.${key}`, filled);
  } else filled.set(path, filled.get(path) === true || (value !== null && value !== ''));
}

/** Those of the noted fields that were never filled. */
export function neverFilled(filled: ReadonlyMap<string, boolean>): string[] {
  return [...filled].filter(([, isFilled]) => !isFilled).map(([path]) => path);
}

/** Runs a page for each of the variables, without an error, and gives the fields that are empty on every one. */
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
