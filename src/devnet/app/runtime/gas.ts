import { AbciError } from './abciErrors.ts';

/** Counts the work of a transaction in the chain's unit. */
export interface GasMeter {
  readonly used: bigint;
  readonly limit: bigint;
  /** Throws code 11 once more is used than the limit. `location` names the kind of work, as the node does. */
  consume(amount: number, location: string): void;
}

/** Prices of the store, those of the Cosmos SDK. */
export const gasPrice = {
  readFlat: 1000,
  readPerByte: 3,
  writeFlat: 2000,
  writePerByte: 30,
  delete: 1000,
  iterNextFlat: 30,
  txSizePerByte: 10,
  signature: 1000,
} as const;

/** Makes a meter. `limit` undefined counts without end (genesis, begin and end of a block). */
export function createGasMeter(limit: bigint | undefined): GasMeter {
  let used = 0n;
  return {
    get used() {
      return used;
    },
    limit: limit ?? 0n,
    consume(amount, location) {
      used += BigInt(amount);
      if (limit !== undefined && used > limit) {
        throw new AbciError(
          'sdk',
          11,
          `out of gas in location: ${location}; gasWanted: ${limit}, gasUsed: ${used}: out of gas`,
        );
      }
    },
  };
}
