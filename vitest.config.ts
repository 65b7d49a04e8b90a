import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Tests that replace timers, or measure memory. They share small processes, which load only what they need. */
const isolated = [
  'test/chain/memory/memoryBudget.test.ts',
  'test/graphql/documents/documentCache.test.ts',
  'test/graphql/live/listenerMemory.test.ts',
  'test/graphql/subscriptions/subscriber.test.ts',
  'test/graphql/subscriptions/subscriberMemory.test.ts',
  'test/graphql/request/answerCache.test.ts',
  'test/graphql/subscriptions/replayCache.test.ts',
  'test/http/attacks/documentFlood.test.ts',
  'test/http/auth/session.test.ts',
  'test/http/server/lifetime.test.ts',
  'test/reads/loader.test.ts',
  'test/verify/treeMemory.test.ts',
];

/** The number of workers of the command line. Projects do not inherit it, so it is read here. */
const { maxWorkers: given } = parseArgs({ strict: false, options: { maxWorkers: { type: 'string' } } }).values;
const named = typeof given === 'string' ? given : undefined;

/** Optimization starts later. Only Node.js 20 has this option: a later one refuses to start with it. */
const lateOptimization = process.versions.node.startsWith('20.') ? ['--interrupt-budget=800000'] : [];

/** Files that take half a minute or more on a build machine, the longest first. */
const longest = [
  'test/roots/carriedAnswers.test.ts',
  'test/devnet/app/actors/actors.test.ts',
  'test/modules/records/earlier.test.ts',
  'test/http/attacks/atRandom.test.ts',
  'test/modules/group/recorder/atRandom.test.ts',
  'test/replay/governance.test.ts',
  'test/chain/transactions/unorderedAtRandom.test.ts',
  'test/archive/queries.test.ts',
  'test/chain/blocks/blockLogFaults.test.ts',
];

/** Starts the longest files first, so that no worker has one left at the end. Vitest knows times of earlier runs only, which a build machine does not have. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const rank = ({ moduleId }: TestSpecification): number => {
      const index = longest.findIndex((file) => moduleId.endsWith(file));
      return index < 0 ? longest.length : index;
    };
    // Those of a project stay together.
    const projects = [...new Set(sorted.map(({ project }) => project))];
    return projects.flatMap((each) =>
      sorted.filter(({ project }) => project === each).sort((one, other) => rank(one) - rank(other)),
    );
  }
}

export default defineConfig({
  // Tests load graphql as the server does: its ES module build would be a second copy, whose types the first does not know.
  resolve: { alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }] },
  test: {
    projects: [
      // The files of a worker share loaded modules: loading GraphQL, Pothos and the protobuf code for each file took a third of the time.
      // They also share its heap, so a larger young generation and compiled code that is kept save a tenth of the CPU time. Most functions run
      // too rarely for optimized code to pay, so optimization starts later: another tenth.
      {
        extends: true,
        resolve: {
          alias: [
            {
              find: /^(?:\.\.\/)+chain\/base\/thread\.ts$/,
              replacement: fileURLToPath(new URL('test/support/thread.ts', import.meta.url)),
            },
          ],
        },
        test: {
          name: 'tests',
          include: ['test/**/*.test.ts'],
          exclude: isolated,
          isolate: false,
          globalSetup: './test/support/globalSetup.ts',
          execArgv: ['--max-semi-space-size=64', '--no-flush-bytecode', '--single-threaded-gc', ...lateOptimization],
          // Tests also wait for timers and sockets: more workers than cores keep all cores busy. Each loads the modules and warms its code anew, so there are not many more.
          maxWorkers: named ?? Math.ceil(availableParallelism() * 1.5),
          sequence: { groupOrder: 1 },
        },
      },
      // They run first, beside the checks of `npm test`, so one worker for each core is enough.
      {
        extends: true,
        test: {
          name: 'isolated',
          include: isolated,
          isolate: false,
          maxWorkers: named ?? availableParallelism(),
          sequence: { groupOrder: 0 },
        },
      },
    ],
    // Elsewhere, vitest has the times of the last run.
    ...(process.env.CI !== undefined && { sequence: { sequencer: LongestFirst } }),
    // What is waited for comes at once; on a machine that is busy, later. A test that passes never waits for these times.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
    // A build machine is shared: a test that fails there runs once more, and the log names it if it passes then. A test that is broken fails twice.
    retry: process.env.CI === undefined ? 0 : 1,
    // Transformed modules are kept in node_modules/.experimental-vitest-cache. A change of a file or of this configuration changes their keys.
    experimental: { fsModuleCache: true },
    // On a build machine the log is read by people and programs: one plain line of totals at its end.
    reporters: process.env.CI === undefined ? ['default'] : ['default', './test/support/totals.ts'],
  },
});
