import type { Reporter, TestModule } from 'vitest/node';
import { needsForeignTool } from './tools.ts';

/**
 * Prints the totals of a run as one plain line: `tests: 12 passed, 0 failed, 1 skipped`. Tests that are skipped because Debian does not have
 * their program have a line of their own, and so has each test that passed at its second try.
 */
export default class Totals implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const foreign = tests.filter((test) => test.result().state === 'skipped' && needsForeignTool(test.name));
    const states = tests.filter((test) => !foreign.includes(test)).map((test) => test.result().state);
    const count = (state: string): number => states.filter((each) => each === state).length;
    // A module that fails to load has no failed tests.
    const broken = modules.filter((module) => module.state() === 'failed' && module.children.size === 0).length;
    process.stdout.write(
      `\ntests: ${count('passed')} passed, ${count('failed') + broken} failed, ${count('skipped')} skipped\n`,
    );
    for (const test of tests.filter((each) => each.diagnostic()?.flaky === true))
      process.stdout.write(`passed at the second try: ${test.module.relativeModuleId}: ${test.fullName}\n`);
    if (foreign.length > 0) process.stdout.write(`tests of programs that Debian does not have: ${foreign.length} skipped\n`);
  }
}
