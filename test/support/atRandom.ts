import fc from 'fast-check';

/**
 * The seed of fast-check and of random chains. It is fixed, so that every run tests the same cases. `TEST_SEED=$RANDOM npm test`
 * tests other cases. Add a failure found that way as its own test case.
 */
export const seed = Number(process.env.TEST_SEED ?? 20_260_101);
if (!Number.isInteger(seed)) throw new Error('TEST_SEED takes an integer');

fc.configureGlobal({ seed });

/** The number of random rounds: `count` in CI, otherwise an eighth of it, which keeps `npm test` short. */
export function rounds(count: number): number {
  return runsAll ? count : Math.ceil(count / 8);
}

/** Whether all cases run: on a build machine, or with `FULL=1`. Otherwise tests with many similar, slow cases take a few of them. */
export const runsAll = process.env.CI !== undefined || process.env.FULL === '1';

/** Sizes of a test that is seen once at its full size, with `FULL=1`: minutes for each such file. */
interface Sizes {
  readonly full: number;
  readonly ci: number;
  /** Left out for a test that `npm test` does not run. */
  readonly own?: number;
}

/** The size of a long test: the full one with `FULL=1`, else that of a build machine, else that of `npm test`. */
export function sizeOf({ full, ci, own = ci }: Sizes): number {
  if (process.env.FULL === '1') return full;
  return runsAll ? ci : own;
}

/** All cases in CI, otherwise each `step`-th, which keeps `npm test` short. */
export function some<T>(cases: readonly T[], step: number): readonly T[] {
  return runsAll ? cases : cases.filter((_, index) => index % step === 0);
}

/**
 * Returns whether the next test of a group runs, for a group that is repeated for each of `variants`, such as the protocols of a stream. In CI each test
 * runs for each variant. Otherwise each test runs for one of them, by turns, which keeps `npm test` short.
 */
export function takeTurns<T>(variants: readonly T[], variant: T): () => boolean {
  let next = variants.indexOf(variant);
  if (next < 0) throw new Error('the variant is not in the list');
  return () => runsAll || next++ % variants.length === 0;
}

/** The number of code points that are not half of a surrogate pair. */
const codePoints = 0x110000 - 0x800;

/**
 * Strings of any code points. It is `fc.string({ unit: 'binary' })` without its table of a million characters, which takes
 * 0.5 s to fill.
 */
export function anyText(maxLength: number): fc.Arbitrary<string> {
  const unit = fc.nat(codePoints - 1).map(
    (index) => String.fromCodePoint(index < 0xd800 ? index : index + 0x800),
    (character) => {
      const code = typeof character === 'string' ? character.codePointAt(0) : undefined;
      if (code === undefined || String.fromCodePoint(code) !== character) throw new TypeError('not a character');
      return code < 0xd800 ? code : code - 0x800;
    },
  );
  return fc.string({ unit, maxLength });
}

/** Paths of URLs: segments of any characters, percent-encoded where RFC 3986 asks for it. Unlike `fc.webPath()`, it does not fill that table. */
export function anyPath(): fc.Arbitrary<string> {
  const unit = fc.oneof(
    { weight: 20, arbitrary: fc.constantFrom(...'abcxyzABCXYZ0189-._~!$&()*+,;=:@') },
    { weight: 1, arbitrary: anyText(1).map(encodeURIComponent) },
  );
  const segment = fc.string({ unit, maxLength: 10 }).map((text) => `/${text}`);
  return fc.array(segment, { maxLength: 5 }).map((segments) => segments.join(''));
}

export { fc };
