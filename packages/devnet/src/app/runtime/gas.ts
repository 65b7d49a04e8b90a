import { AbciError } from './abciErrors.ts';
import { feeDenom } from './coins.ts';

/** The minimum gas price of the nodes of a chain without flat fees, in nhash: 1 / 40. */
export const gasPerUnit = 40n;

/** The same, as the node reports it (`DecCoins.String` of the Cosmos SDK). */
export const minimumGasPrice = `0.025000000000000000${feeDenom}`;

/** Counts the gas of a transaction. */
export interface GasMeter {
  readonly used: bigint;
  readonly limit: bigint;
  /** Consumes gas. Throws code 11 above the limit. `location` is the node's name of the operation. */
  consume(amount: number, location: string): void;
}

/** Gas prices of the store, from the Cosmos SDK. */
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

/** Creates a meter. Without `limit` there is no limit, as for genesis and for begin and end block. */
export function createGasMeter(limit: bigint | undefined): GasMeter {
  let usedGas = 0n;
  return {
    get used() {
      return usedGas;
    },
    limit: limit ?? 0n,
    consume(amount, location) {
      usedGas += BigInt(amount);
      if (limit !== undefined && usedGas > limit) {
        throw new AbciError(
          'sdk',
          11,
          `out of gas in location: ${location}; gasWanted: ${limit}, gasUsed: ${usedGas}: out of gas`,
        );
      }
    },
  };
}
