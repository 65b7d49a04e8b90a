import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { isAbsence } from '../../src/chain/wire/abciRefusal.ts';

const folder = new URL('../../src/modules/', import.meta.url);

/** The sources that ask for what may be absent, as they are written. */
const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts') && name !== 'ask.ts')
  .map((name) => [name, readFileSync(new URL(name, folder), 'utf8')] as const)
  .filter(([, text]) => text.includes('askOrNull('));

const texts = String.raw`\[((?:\s*(?:'[^']*'|"[^"]*"),?)*)\s*\]`;

/** The lists of texts of a source: those that stand in the call, and those that are called `absences`. */
function listsIn(source: string, before: string): readonly (readonly string[])[] {
  return [...source.matchAll(new RegExp(before + texts, 'g'))].map(([, list = '']) =>
    [...list.matchAll(/'([^']*)'|"([^"]*)"/g)].map(([, single, double]) => single ?? double ?? ''),
  );
}

it.each(sources)('%s: what tells a query that there is no such thing tells it to all', (_, source) => {
  const calls = source.match(/askOrNull\(/g)!.length;
  const given = listsIn(source, String.raw`askOrNull\([^;]*?,\s*`);
  const named = listsIn(source, String.raw`\babsences = `);
  const byName = source.match(/askOrNull\([^;]*?, absences\)/g)?.length ?? 0;
  // No call is written in a way that this test does not read.
  expect([given.length + byName, named.length > 0]).toEqual([calls, byName > 0]);
  const unknown = [...given, ...named].flat().filter((log) => !isAbsence({ abciCode: 6, log }));
  expect(unknown).toEqual([]);
});

it('the queries that say so in words are many', () => {
  expect(sources.length).toBeGreaterThan(5);
});
