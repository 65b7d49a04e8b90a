import { readFileSync } from 'node:fs';
import { parse, validate } from 'graphql';
import { expect, it } from 'vitest';
import { playgroundExamples } from '../../../dashboard/playground/gen/examples.ts';
import { printPlaygroundExamples } from '../../../scripts/playgroundExamples.ts';
import { schema } from '../../../src/graphql/schema.ts';

it('the examples of the playground are the operations of schema/operations.graphql, and each is a valid document by itself', () => {
  expect(readFileSync('dashboard/playground/gen/examples.ts', 'utf8')).toBe(printPlaygroundExamples());
  const operations = readFileSync('schema/operations.graphql', 'utf8').match(/^(?:query|mutation|subscription) \w+/gm);
  expect(playgroundExamples.map(({ kind, name }) => `${kind} ${name}`)).toEqual(operations);
  for (const { name, query } of playgroundExamples) expect([name, validate(schema, parse(query))]).toEqual([name, []]);
});
