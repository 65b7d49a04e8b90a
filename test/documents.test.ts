import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { layers, shared } from '../scripts/layers/table.ts';

const read = (file: string): string => readFileSync(file, 'utf8');

/** Source files, with their text. Comments and names of tests cite the documents. */
const sources = ['src', 'test', 'bench', 'scripts', 'examples'].flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(ts|js)$/.test(name) && !/(^|\/)(node_modules|gen|dist)\//.test(name))
    .map((name) => ({ file: join(folder, name), text: read(join(folder, name)).replaceAll(/\n\s*(?:\*|\/\/) /g, ' ') })),
);

/** All matches of a pattern in the sources, with their file. */
const citations = (pattern: RegExp): readonly (readonly [file: string, match: RegExpExecArray])[] =>
  sources.flatMap(({ file, text }) => [...text.matchAll(pattern)].map((match) => [file, match] as const));

/** The titles of a page, without their numbers; none if there is no such page. */
const titlesOf = (page: string): readonly string[] =>
  existsSync(page) ? [...read(page).matchAll(/^#+ (?:[\d.]+ )?(.+)$/gm)].map(([, title]) => title!.replaceAll('`', '')) : [];

describe('citations in comments and tests', () => {
  it('of a section name an existing section', () => {
    const cited = citations(/(\b[\w/-]+\.md), "([^"]+)"/g).map(([file, [, page, title]]) => ({
      file,
      page: page!,
      title: title!,
    }));
    expect(cited.filter(({ page, title }) => !titlesOf(page).includes(title))).toEqual([]);
  });

  it('of an attack or a fault name a row of docs/security.md', () => {
    const rows = new Set([...read('docs/security.md').matchAll(/^\| ([A-Z]\d+) \|/gm)].map(([, row]) => row));
    const inComments = citations(/docs\/security\.md, ((?:[A-Z]\d+(?:, | and )?)+)/g);
    const inTitles = citations(/['"`]((?:[TF]\d+(?:, )?)+)[:'"`]/g);
    const cited = [...inComments, ...inTitles].flatMap(([file, [, text]]) =>
      text!.match(/[A-Z]\d+/g)!.map((row) => ({ file, row })),
    );
    expect(cited.length).toBeGreaterThan(50);
    expect(cited.filter(({ row }) => !rows.has(row))).toEqual([]);
  });

  it('of a page name an existing page', () => {
    const cited = citations(/(?<![\w/.-])((?:[\w-]+\/)*[\w-]+\.md)\b/g)
      .map(([file, [, page]]) => ({ file, page: page! }))
      // A page that a test creates.
      .filter(({ page }) => page !== 'page.md');
    expect(cited.filter(({ page }) => !existsSync(page) && !existsSync(`docs/${page}`))).toEqual([]);
  });
});

describe('documents', () => {
  it('docs/chain.md has unique titles, so that each citation has one target', () => {
    const titles = titlesOf('docs/chain.md');
    expect(titles.length).toBeGreaterThan(50);
    expect(new Set(titles).size).toBe(titles.length);
  });

  it('docs/README.md lists every page', () => {
    const pages = readdirSync('docs').filter((name) => name.endsWith('.md') && name !== 'README.md');
    const index = read('docs/README.md');
    expect(pages.filter((name) => !index.includes(`](${name})`))).toEqual([]);
  });

  it('CONTRIBUTING.md names every folder of tests', () => {
    const folders = readdirSync('test', { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));
    const text = read('CONTRIBUTING.md');
    expect(folders.filter((name) => !text.includes(`\`${name}\``))).toEqual([]);
  });

  it('docs/security.md names tests that exist', () => {
    const tests = [...read('docs/security.md').matchAll(/`([\w/]+\.test\.ts)`/g)].map(([, name]) => name!);
    expect(tests.length).toBeGreaterThan(50);
    expect(tests.filter((name) => !existsSync(`test/${name}`))).toEqual([]);
  });

  it.each(['docs/architecture.md', 'CONTRIBUTING.md', 'docs/bounds.md', 'docs/versioning.md'])(
    '%s names files that exist',
    (page) => {
      const named = [...read(page).matchAll(/`((?:src|test|docs|schema|scripts|examples|bench)\/[\w./-]*\w)`/g)].map(
        ([, file]) => file!,
      );
      expect(named.filter((file) => !existsSync(file))).toEqual([]);
    },
  );

  it('docs/architecture.md has the layers that are checked', () => {
    const text = read('docs/architecture.md');
    const rows = [...text.matchAll(/^\| `(?:src|packages)\/([\w/]*)` \| .* \| (.*) \|$/gm)].map(([, folder, imports]) => ({
      folder: folder!,
      imports: [...imports!.matchAll(/`([\w/]+)`/g)].map(([, name]) => name!),
    }));
    const all = layers[0]!.imports;
    expect(rows.map(({ folder, imports }) => ({ folder, imports: folder === 'start' ? all : imports }))).toEqual(layers);
    expect(text).toContain(`Every layer may also import ${shared.map((name) => `\`${name}\``).join(' and ')}`);
  });

  it('the glossary has at most thirty terms, in order', () => {
    const [, glossary = ''] = read('docs/architecture.md').split('## Glossary');
    const terms = [...glossary.matchAll(/^\| ([a-z ]+) \|/gm)].flatMap(([, term]) => (term === 'term' ? [] : [term!]));
    expect(terms.length).toBeGreaterThan(20);
    expect(terms.length).toBeLessThanOrEqual(30);
    expect(terms).toEqual(terms.toSorted());
  });

  it('docs/architecture.md names functions that are in their files', () => {
    const named = [...read('docs/architecture.md').matchAll(/`(src\/[\w./-]+\.ts)` \(`(\w+)`\)/g)];
    expect(named.length).toBeGreaterThan(5);
    for (const [, file, name] of named) expect([file, read(file!).includes(name!)]).toEqual([file, true]);
  });

  it('docs/architecture.md describes each folder of modules, of the server, the engine and the client', () => {
    const text = read('docs/architecture.md');
    const folders = (parent: string): readonly string[] =>
      readdirSync(parent, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));
    expect(folders('src/modules').filter((name) => !text.includes(`| \`${name}\` |`))).toEqual([]);
    const parts = ['src', 'src/start', 'src/surfaces', 'src/server', 'src/graphql', 'src/chain'].flatMap((parent) =>
      folders(parent).map((name) => `${parent}/${name}`),
    );
    expect(parts.filter((part) => !text.includes(`\`${part}\``) && !text.includes(`\`${part}/`))).toEqual([]);
  });
});
