import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { Profiler } from 'node:inspector';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { buildSync } from 'esbuild';
import { expect, it } from 'vitest';
import { areaOf } from '../../bench/profile/areas.ts';
import { createLocator } from '../../bench/profile/locate.ts';
import { summarize, summaryLines } from '../../bench/profile/summarize.ts';

/** A node of a profile. `url` is its path: the tests need no source maps. */
const node = (id: number, functionName: string, url: string, line: number, children: number[] = []): Profiler.ProfileNode => ({
  id,
  callFrame: { functionName, url, lineNumber: line - 1, columnNumber: 0, scriptId: '0' },
  children,
});

/** A profile of 200 ms, half of them idle. */
const golden: Profiler.Profile = {
  nodes: [
    node(1, '(root)', '', 0, [2, 3, 4, 5]),
    node(2, '(idle)', '', 0),
    node(3, '(garbage collector)', '', 0),
    node(4, '(program)', '', 0),
    node(5, 'respond', 'src/surfaces/graphql/graphqlHandler.ts', 30, [6, 9, 10, 11, 12]),
    node(6, 'executeFields', 'node_modules/graphql/execution/execute.js', 291, [7, 8]),
    node(7, 'instanceOf', 'node_modules/graphql/jsutils/instanceOf.mjs', 20),
    node(8, 'fromBinary', 'node_modules/@bufbuild/protobuf/dist/esm/from-binary.js', 57),
    node(9, 'stringify', 'bench/profiler.ts', 15),
    node(10, 'writeGeneric', 'node:internal/stream_base_commons', 146, [13]),
    node(11, 'processTicks', 'node:internal/process/task_queues', 70),
    node(12, '', 'node_modules/dataloader/index.js', 50),
    node(13, 'writev', '', 0),
  ],
  startTime: 0,
  endTime: 200_000,
  // Each sample lasts until the next one. The function of two call sites, 12, is one function.
  samples: [2, 3, 4, 5, 6, 7, 8, 9, 10, 13, 11, 12, 12, 1],
  timeDeltas: [0, 100_000, 30_000, 5_000, 4_000, 12_000, 8_000, 6_000, 15_000, 3_000, 7_000, 9_600, 0, 400],
};

const summary = summarize(golden, ({ functionName, url, lineNumber }) => ({
  name: functionName,
  path: url,
  line: lineNumber + 1,
}));

it('a profile has the self time of each area and function, without idle time', () => {
  expect(summary.busy).toBeCloseTo(100);
  expect(summaryLines(summary, 5)).toEqual([
    'Self time by area',
    ' 30.0 %  garbage collection',
    ' 20.0 %  graphql-js',
    ' 15.0 %  JSON',
    ' 10.0 %  sockets and HTTP',
    '  9.6 %  Node.js, other',
    '  6.0 %  protobuf',
    '  5.0 %  native code outside of JavaScript',
    '  4.0 %  src/surfaces/graphql',
    '  0.4 %  all others',
    '',
    'The 5 functions with the most self time',
    ' 30.0 %  (garbage collector)',
    ' 15.0 %  stringify  bench/profiler.ts:15',
    ' 12.0 %  executeFields  node_modules/graphql/execution/execute.js:291',
    '  9.6 %  processTicks  node:internal/process/task_queues:70',
    '  8.0 %  instanceOf  node_modules/graphql/jsutils/instanceOf.mjs:20',
  ]);
});

it('all areas, and all functions, together are the whole', () => {
  for (const parts of [summary.areas, summary.functions])
    expect(parts.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1);
});

it.each([
  ['src/chain/wire/json.ts', 'src/chain/wire'],
  ['src/start/server.ts', 'src/start'],
  ['src/modules/group/query.ts', 'src/modules/group'],
  ['src/proto/cosmos/group/v1/query_pb.js', 'protobuf'],
  ['node_modules/a/node_modules/@b/c/index.js', '@b/c'],
  ['node_modules/undici/lib/dispatcher.js', 'sockets and HTTP'],
  ['node:net', 'sockets and HTTP'],
  ['node:_http_server', 'sockets and HTTP'],
  ['node:internal/timers', 'Node.js, other'],
])('%s is of the area %s', (path, area) => {
  expect(areaOf({ name: 'x', path, line: 1 })).toBe(area);
});

it('a function of a bundle is found in its source', () => {
  const root = mkdtempSync(join(tmpdir(), 'locate-'));
  try {
    writeFileSync(join(root, 'a.ts'), '\n\ninterface A { b: number }\n\nexport function heavy(a: A): number { return a.b; }\n');
    const outfile = join(root, 'dist/a.js');
    buildSync({ entryPoints: [join(root, 'a.ts')], outfile, bundle: true, format: 'esm', sourcemap: true });
    const lines = readFileSync(outfile, 'utf8').split('\n');
    const lineNumber = lines.findIndex((line) => line.includes('function heavy'));
    // V8 gives the position of the parameters.
    const columnNumber = lines[lineNumber]!.indexOf('(');
    const locate = createLocator(root);
    const frame = { functionName: 'heavy', scriptId: '1', lineNumber, columnNumber };
    expect(lineNumber).not.toBe(4);
    expect(locate({ ...frame, url: pathToFileURL(outfile).href })).toEqual({ name: 'heavy', path: 'a.ts', line: 5 });
    expect(locate({ ...frame, url: 'node:net' })).toEqual({ name: 'heavy', path: 'node:net', line: lineNumber + 1 });
  } finally {
    rmSync(root, { recursive: true });
  }
});
