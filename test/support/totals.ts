import type { Reporter, TestModule } from 'vitest/node';

/** Prints the totals of a run as one plain line: `tests: 12 passed, 0 failed, 1 skipped`. */
export default class Totals implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const states = modules.flatMap((module) => [...module.children.allTests()].map((test) => test.result().state));
    const count = (state: string): number => states.filter((each) => each === state).length;
    // A module that fails to load has no failed tests.
    const broken = modules.filter((module) => module.state() === 'failed' && module.children.size === 0).length;
    process.stdout.write(
      `\ntests: ${count('passed')} passed, ${count('failed') + broken} failed, ${count('skipped')} skipped\n`,
    );
  }
}
