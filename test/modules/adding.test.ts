import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { readRecording } from '../recordings/recordings.ts';
import { createReplayNode } from '../replay/replayNode.ts';
import { runsAll } from '../support/atRandom.ts';

const root = new URL('../../', import.meta.url).pathname;

/** The files of a new module. */
const folder: Readonly<Record<string, string>> = {
  'query.ts': `import type { StateAt } from '../../chain/state/state.ts';
import { Query } from '../../proto/provenance/attribute/v1/query_pb.js';
import { queryState } from '../../reads/query.ts';

/** The maximum size of the value of an attribute, in bytes. */
export async function maxValueLength(state: StateAt): Promise<number> {
  return (await queryState(state, Query.method.params, {})).params?.maxValueLength ?? 0;
}
`,
  'loaders.ts': `import { ReadOnce, type Source } from '../../reads/pin.ts';
import * as query from './query.ts';

/** The loaders of the module for one pin. */
export interface SizesLoaders {
  readonly maxValueLength: ReadOnce<'', number>;
}

/** Makes the loaders of one pin. */
export function createSizesLoaders({ state }: Source): SizesLoaders {
  return { maxValueLength: new ReadOnce((_: '') => query.maxValueLength(state)) };
}
`,
  'schema.ts': `import type { Builder } from '../../schema/builder.ts';
import { pinOf } from '../../reads/pin.ts';
import { AccountRef } from '../account/schema.ts';
import { createSizesLoaders } from './loaders.ts';

/** Adds the module: a field of Query, and a field on an entity of another module. */
export function addSizes(builder: Builder): void {
  builder.queryField('maxValueLength', (t) =>
    t.int({ resolve: (root) => pinOf(root).loaders(createSizesLoaders).maxValueLength.load('') }),
  );
  builder.objectField(AccountRef, 'maxValueLength', (t) =>
    t.int({ resolve: (account) => pinOf(account).loaders(createSizesLoaders).maxValueLength.load('') }),
  );
}
`,
};

const script = `import { createClient } from './src/chain/client.ts';
import { http } from './src/chain/transports/http.ts';
import { startServer } from './src/start/server.ts';

const client = createClient({ transport: http(process.argv[2]) });
await client.head.ready();
const server = await startServer({ client, auth: 'open', port: 0, host: '127.0.0.1', report: console.error });
const query = process.argv[3];
const response = await fetch(server.url + '/graphql', { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ query }) });
console.log(await response.text());
await server.close();
await client.close();
process.exit(0);
`;

/** Inserts a line after the first match. */
async function addLine(path: string, match: RegExp, line: string): Promise<void> {
  const text = await readFile(path, 'utf8');
  const found = match.exec(text);
  expect(found).not.toBeNull();
  const end = found!.index + found![0].length;
  await writeFile(path, `${text.slice(0, end)}${line}${text.slice(end)}`);
}

// It starts the whole server from source, which takes seconds.
it.runIf(runsAll)('a new module is one folder and two lines', { timeout: 180_000 }, async () => {
  // Inside node_modules, so that imports of packages resolve.
  await mkdir(join(root, 'node_modules/.stele'), { recursive: true });
  const copy = await mkdtemp(join(root, 'node_modules/.stele/'));
  await using node = await createReplayNode();
  try {
    for (const part of ['src', 'data', 'packages/verify']) await cp(join(root, part), join(copy, part), { recursive: true });
    await writeFile(join(copy, 'package.json'), '{"type":"module"}');
    await writeFile(join(copy, 'script.ts'), script);
    const modules = join(copy, 'src/modules');
    await mkdir(join(modules, 'sizes'));
    for (const [name, text] of Object.entries(folder)) await writeFile(join(modules, 'sizes', name), text);

    await addLine(join(modules, 'index.ts'), /^/, "import { addSizes } from './sizes/schema.ts';\n");
    await addLine(join(modules, 'index.ts'), /export const modules: .* = \[\n/, '  addSizes,\n');

    const { address } = readRecording('queries').find(({ name }) => name === 'Account')!.requestJson as { address: string };
    const query = `{ maxValueLength account(address: "${address}") { maxValueLength kind } }`;
    const run = promisify(execFile);
    const { stdout } = await run(process.execPath, ['--import', 'tsx', 'script.ts', node.url, query], { cwd: copy });
    expect((JSON.parse(stdout) as { data: unknown }).data).toEqual({
      maxValueLength: 10_000,
      account: { maxValueLength: 10_000, kind: 'BASE' },
    });
    expect(node.calls.filter(({ path }) => path === '/provenance.attribute.v1.Query/Params')).toHaveLength(1);
  } finally {
    await rm(copy, { recursive: true });
  }
});
