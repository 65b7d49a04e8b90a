import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { isAbsence } from '../../src/chain/rpc/rpcErrors.ts';

const folder = new URL('../../src/modules/', import.meta.url);

/** The source files that call `stateReadOrNull`, with their text. */
const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => [name, readFileSync(new URL(name, folder), 'utf8')] as const)
  .filter(([, text]) => text.includes('stateReadOrNull('));

const texts = String.raw`\[((?:\s*(?:'[^']*'|"[^"]*"),?)*)\s*\]`;

/** The lists of texts in a source file: those inside a call, and constants called `absences`. */
function listsIn(source: string, before: string): readonly (readonly string[])[] {
  return [...source.matchAll(new RegExp(before + texts, 'g'))].map(([, list = '']) =>
    [...list.matchAll(/'([^']*)'|"([^"]*)"/g)].map(([, single, double]) => single ?? double ?? ''),
  );
}

it.each(sources)('%s: isAbsence accepts every text that a query treats as absent', (_, source) => {
  const calls = source.match(/stateReadOrNull\(/g)!.length;
  const given = listsIn(source, String.raw`\babsences: `);
  const named = listsIn(source, String.raw`\babsences = `);
  const byName = source.match(/\babsences,/g)?.length ?? 0;
  // The test must recognize every call.
  expect([given.length + byName, named.length > 0]).toEqual([calls, byName > 0]);
  const unknown = [...given, ...named].flat().filter((log) => !isAbsence({ abciCode: 6, log }));
  expect(unknown).toEqual([]);
});

it('several modules have such queries', () => {
  expect(sources.length).toBeGreaterThan(5);
});
