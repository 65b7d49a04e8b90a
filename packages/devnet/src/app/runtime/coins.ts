import type { Coin } from '../../../../../src/proto/cosmos/base/v1beta1/coin_pb.js';
import { abciError } from './abciErrors.ts';

/** An amount of one denomination. */
export interface Amount {
  readonly denom: string;
  readonly amount: bigint;
}

/** The denomination of fees (docs/chain.md, "Addresses and denominations"). */
export const feeDenom = 'nhash';

const denomText = /^[a-zA-Z][a-zA-Z0-9/:._-]{1,127}$/;

/** Whether a text is a valid denomination. */
export function isDenom(text: string): boolean {
  return denomText.test(text);
}

/** Formats coins as the chain does: `5nhash,7usd`. Empty for no coins. */
export function coinsText(coins: readonly Amount[]): string {
  return coins.map((coin) => `${coin.amount}${coin.denom}`).join(',');
}

/**
 * Converts the coins of a message. Throws code 10 unless they are a sorted list of positive amounts; the text is not recorded.
 */
export function parseCoins(coins: readonly Coin[]): Amount[] {
  const parsed = coins.map((coin) => {
    if (!isDenom(coin.denom) || !/^[0-9]{1,78}$/.test(coin.amount)) {
      throw abciError('invalidCoins', `${coin.amount}${coin.denom}`);
    }
    return { denom: coin.denom, amount: BigInt(coin.amount) };
  });
  const sorted = parsed.every((coin, index) => index === 0 || (parsed[index - 1]?.denom ?? '') < coin.denom);
  if (parsed.length === 0 || !sorted || parsed.some((coin) => coin.amount === 0n)) {
    throw abciError('invalidCoins', coinsText(parsed));
  }
  return parsed;
}
