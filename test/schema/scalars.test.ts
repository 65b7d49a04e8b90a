import { readFileSync } from 'node:fs';
import { isScalarType } from 'graphql';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { scalars as presetScalars } from '../../packages/client/src/codegen.ts';
import { schema } from '../../src/graphql/schema.ts';

const page = readFileSync('docs/scalars.md', 'utf8');

/** Returns the lines of the map under `scalars:`, without indentation. */
function mapIn(text: string): readonly string[] {
  const [, indent, lines] = /^( *)scalars:\n((?:\1 +.*\n)+)/m.exec(text)!;
  return lines!
    .trimEnd()
    .split('\n')
    .map((line) => line.slice(indent!.length + 2));
}

it('docs/scalars.md has a row for each scalar of the schema, and no others', () => {
  const rows = [...page.matchAll(/^\| `(\w+)` \| \S/gm)].map(([, name]) => name);
  const scalars = Object.values(schema.getTypeMap()).filter(isScalarType);
  expect(rows.toSorted()).toEqual(scalars.map(({ name }) => name).toSorted());
});

it('the scalar map of docs/scalars.md equals those of codegen.yml and of @stele/client/codegen', () => {
  const map = mapIn(page);
  expect(map).toContain('Int64: { input: string | number, output: string }');
  expect(map).toEqual(mapIn(readFileSync('codegen.yml', 'utf8')));
  expect(parse(map.join('\n'))).toEqual(presetScalars);
  const own = Object.values(schema.getTypeMap()).filter((type) => isScalarType(type) && !type.name.startsWith('_'));
  const builtIn = ['Int', 'Float', 'String', 'Boolean'];
  expect(map.map((line) => line.split(':')[0]).toSorted()).toEqual(
    own.flatMap(({ name }) => (builtIn.includes(name) ? [] : [name])).toSorted(),
  );
});
