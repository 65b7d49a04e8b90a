import fc from 'fast-check';

/**
 * Where all that fast-check draws begins: the same in every run, so that a run tells of the change and not of its luck.
 * `TEST_SEED=$RANDOM npm test` looks elsewhere; what that finds is pinned as a case of its own.
 */
const seed = Number(process.env.TEST_SEED ?? 20_260_101);
if (!Number.isInteger(seed)) throw new Error('TEST_SEED takes an integer');

fc.configureGlobal({ seed });

/** A number of random rounds: `count` in CI, a quarter of it elsewhere, so that `npm test` stays short. */
export function rounds(count: number): number {
  return process.env.CI === undefined ? Math.ceil(count / 4) : count;
}

export { fc };
