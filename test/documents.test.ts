import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const read = (file: string): string => readFileSync(file, 'utf8');

/** Source files whose comments and names of tests cite the documents. */
const sources = ['src', 'test', 'bench', 'scripts', 'examples'].flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(ts|js)$/.test(name) && !/(^|\/)(node_modules|gen)\//.test(name))
    .map((name) => join(folder, name)),
);

/** The comment marks of a line break within a citation. */
const joined = (text: string): string => text.replaceAll(/\n\s*(?:\*|\/\/) /g, ' ');

/** Each citation of a section of `page` in the sources: the file and the title. */
function citationsOf(page: string): readonly (readonly [file: string, title: string])[] {
  const citation = new RegExp(`${page.replaceAll('.', '\\.')}, "([^"]+)"`, 'g');
  return sources.flatMap((file) => [...joined(read(file)).matchAll(citation)].map(([, title]) => [file, title!] as const));
}

/** The titles of a page, without their numbers. */
const titlesOf = (page: string): readonly string[] =>
  [...read(page).matchAll(/^#+ (?:[\d.]+ )?(.+)$/gm)].map(([, title]) => title!.replaceAll('`', ''));

describe('what comments cite', () => {
  const pages = readdirSync('docs').filter((name) => name.endsWith('.md'));

  it.each(pages.map((name) => `docs/${name}`))('%s has every section that is cited', (page) => {
    const titles = titlesOf(page);
    expect(citationsOf(page).filter(([, title]) => !titles.includes(title))).toEqual([]);
  });

  it('the titles of docs/chain.md are unique', () => {
    const titles = titlesOf('docs/chain.md');
    expect(titles.length).toBeGreaterThan(50);
    expect(new Set(titles).size).toBe(titles.length);
  });

  it('docs/security.md has every attack and fault that is cited', () => {
    const rows = new Set([...read('docs/security.md').matchAll(/^\| ([A-Z]\d+) \|/gm)].map(([, row]) => row));
    const cited = sources.flatMap((file) =>
      [
        ...joined(read(file)).matchAll(
          /docs\/security\.md, ((?:[A-Z]\d+(?:, | and )?)+)|(?:'|`|")((?:[TF]\d+(?:, )?)+)[:'`"]/g,
        ),
      ].flatMap(([, inComment, inTitle]) => (inComment ?? inTitle ?? '').match(/[A-Z]\d+/g)?.map((row) => [file, row]) ?? []),
    );
    expect(cited.length).toBeGreaterThan(50);
    expect(cited.filter(([, row]) => !rows.has(row))).toEqual([]);
  });

  it.each(['docs/security.md'])('%s names tests that exist', (page) => {
    const tests = [...read(page).matchAll(/`([\w/]+\.test\.ts)`/g)].map(([, name]) => name!);
    expect(tests.length).toBeGreaterThan(50);
    expect(tests.filter((name) => !existsSync(`test/${name}`))).toEqual([]);
  });

  it('no comment cites a page that does not exist', () => {
    const cited = sources.flatMap((file) =>
      [...read(file).matchAll(/(?<![\w/.-])((?:[\w-]+\/)*[\w-]+\.md)\b/g)].map(([, page]) => [file, page!] as const),
    );
    expect(cited.filter(([, page]) => !existsSync(page))).toEqual([]);
  });
});

describe('docs/architecture.md', () => {
  it.each(['docs/architecture.md', 'CONTRIBUTING.md', 'docs/bounds.md', 'docs/versioning.md'])(
    '%s names files that exist',
    (page) => {
      const named = [...read(page).matchAll(/`((?:src|test|docs|schema|scripts|examples|bench)\/[\w./-]*\w)`/g)].map(
        ([, file]) => file!,
      );
      expect(named.filter((file) => !existsSync(file))).toEqual([]);
    },
  );

  it('describes every folder of modules, and every layer and part of the server', () => {
    const text = read('docs/architecture.md');
    const folders = (parent: string): readonly string[] =>
      readdirSync(parent, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));
    expect(folders('src/modules').filter((name) => !text.includes(`| \`${name}\` |`))).toEqual([]);
    const parts = ['src', 'src/http', 'src/graphql', 'src/chain'].flatMap((parent) =>
      folders(parent).map((name) => `${parent}/${name}`),
    );
    expect(parts.filter((part) => !text.includes(`\`${part}\``) && !text.includes(`\`${part}/`))).toEqual([]);
  });
});
