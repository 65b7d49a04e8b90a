/** The validators beside that of the devnet: their powers fall so that 18 of 100 have two thirds, as on Provenance. */
export const cosignersOf = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    seed: `validator ${index}`,
    power: BigInt(Math.round(1_000_000_000 * 0.94 ** (index + 1))),
  }));
