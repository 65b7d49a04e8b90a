import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { checkLayers } from '../../scripts/layers/check.ts';
import { circlesOf, foldersOf, readImports, sourceFiles } from '../../scripts/layers/imports.ts';
import { layeredFolders } from '../../scripts/layers/table.ts';
import { runsAll } from '../support/atRandom.ts';

const root = new URL('../../', import.meta.url).pathname.replace(/\/$/, '');

describe('the layers of the sources', () => {
  it('hold: no import against the table, no circle of files or folders', () => {
    const graph = readImports(root, ...layeredFolders);
    expect(graph.size).toBeGreaterThan(400);
    expect(checkLayers(graph, layeredFolders.flatMap((folder) => sourceFiles(root, folder)).length)).toEqual([]);
  });

  it.runIf(runsAll)(
    'fail the check for deliberate violations: a type import in one line, a circle in the client package, and a clock and state in a module',
    async () => {
      const copy = await mkdtemp(join(tmpdir(), 'layers-'));
      try {
        await cp(join(root, 'src'), join(copy, 'src'), { recursive: true });
        const run = () =>
          promisify(execFile)(process.execPath, ['--import', 'tsx', 'scripts/checkLayers.ts', copy], { cwd: root });
        await expect(run()).resolves.toMatchObject({ stdout: expect.stringContaining('0 violations') });
        await writeFile(
          join(copy, 'src/chain/wrong.ts'),
          "import type { Pin } from '../reads/pin.ts';\nexport type Wrong = Pin;\n",
        );
        await writeFile(
          join(copy, 'src/surfaces/rest/wrong.ts'),
          "import { schema } from '../../graphql/schema.ts';\nexport const wrong = schema;\n",
        );
        await writeFile(
          join(copy, 'src/modules/hold/wrong.ts'),
          "let count = 0;\nconst names = new Map<string, string>();\nexport const fine: ReadonlySet<string> = new Set(['a']);\nexport function age(): number {\n  count += 1;\n  return Date.now() + names.size;\n}\n",
        );
        const client = join(copy, 'packages/client/src');
        await mkdir(client, { recursive: true });
        await writeFile(join(client, 'one.ts'), "import type { Two } from './two.ts';\nexport type One = Two;\n");
        await writeFile(join(client, 'two.ts'), "import type { One } from './one.ts';\nexport type Two = One;\n");
        const failure: unknown = await run().catch((error: unknown) => error);
        for (const line of [
          'src/chain/wrong.ts imports src/reads/pin.ts: chain may import verify, config, proto',
          'src/surfaces/rest/wrong.ts imports src/graphql/schema.ts: surfaces may import server, answers, modules, archive, reads, shared, chain, config, proto',
          'files import one another in a circle: packages/client/src/one.ts, packages/client/src/two.ts',
          'src/modules/hold/wrong.ts:1 has a variable outside of functions: let count = 0;',
          'src/modules/hold/wrong.ts:2 has state outside of functions; if it never changes, give it a Readonly type: const names = new Map<string, string>();',
          'src/modules/hold/wrong.ts:6 reads a clock: return Date.now() + names.size;',
        ])
          expect(failure).toMatchObject({ code: 1, stderr: expect.stringContaining(line) });
      } finally {
        await rm(copy, { recursive: true });
      }
    },
  );
});

describe('checkLayers', () => {
  const table: [string, [string, string[]][], string[]][] = [
    [
      'accepts imports down the table',
      [
        ['src/surfaces/graphql/a.ts', ['src/graphql/b.ts']],
        ['src/graphql/b.ts', []],
      ],
      [],
    ],
    [
      'refuses an import of a layer that the table does not name',
      [
        ['src/server/a.ts', ['src/schema/b.ts']],
        ['src/schema/b.ts', []],
      ],
      ['src/server/a.ts imports src/schema/b.ts: server may import answers, archive, reads, shared, chain, config, proto'],
    ],
    ['refuses a folder that is no layer', [['src/other/a.ts', []]], ['src/other/a.ts is in src/other, which is no layer']],
    [
      'refuses a circle of two files',
      [
        ['src/chain/a.ts', ['src/chain/b.ts']],
        ['src/chain/b.ts', ['src/chain/a.ts']],
      ],
      ['files import one another in a circle: src/chain/a.ts, src/chain/b.ts'],
    ],
    [
      'refuses a circle of folders without a circle of files',
      [
        ['src/chain/one/a.ts', ['src/chain/two/b.ts']],
        ['src/chain/two/b.ts', []],
        ['src/chain/two/c.ts', ['src/chain/one/d.ts']],
        ['src/chain/one/d.ts', []],
      ],
      ['folders import one another in a circle: src/chain/one, src/chain/two'],
    ],
  ];

  it.each(table)('the check of layers %s', (_name, edges, errors) => {
    expect(checkLayers(new Map(edges), edges.length)).toEqual(errors);
  });

  it('refuses to check fewer files than there are', () => {
    expect(checkLayers(new Map([['src/start/main.ts', []]]), 2)).toEqual(['only 1 of 2 files were read']);
  });
});

describe('circlesOf', () => {
  it('finds each circle whole, the largest first, and none in a chain', () => {
    const graph = new Map([
      ['a', ['b']],
      ['b', ['c']],
      ['c', ['a', 'd']],
      ['d', ['e']],
      ['e', ['d', 'f']],
      ['f', []],
    ]);
    expect(circlesOf(graph)).toEqual([
      ['a', 'b', 'c'],
      ['d', 'e'],
    ]);
    expect(
      foldersOf(
        new Map([
          ['x/a', ['x/b', 'y/c']],
          ['x/b', []],
          ['y/c', []],
        ]),
      ),
    ).toEqual(
      new Map([
        ['x', ['y']],
        ['y', []],
      ]),
    );
  });
});
