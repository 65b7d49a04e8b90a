import type { Application } from '../../abci/abci.ts';
import { createCast } from '../fixtures/fixtures.ts';
import { feeDenom } from '../runtime/coins.ts';
import { createRandom } from '../runtime/random.ts';
import { createAccounts, signTx } from '../runtime/wallet.ts';
import { createChainReader } from './chainReader.ts';
import { createMarket } from './market.ts';
import { createPlanner } from './planner.ts';

/** What the actors need to know. */
export interface ActorsOptions {
  /** They see the chain only through this. */
  readonly query: Application['query'];
  readonly chainId: string;
  /** The same seed and the same blocks give the same transactions. Default 1. */
  readonly seed?: number;
  /** Transactions about proposals in a second of the chain's time, on average. Default 1.3. */
  readonly perSecond?: number;
}

const mostInABlock = 2;
/** Deeds of the market in a second of the chain's time, on average: nine a minute. */
const dealsPerSecond = 0.15;
const fee = { amount: [{ denom: feeDenom, amount: 10_000_000n }], gas: 1_000_000n };
// A transaction that did not get into one of the next blocks is out of date.
const patience = 20n;

/**
 * The first eight accounts of the devnet's wallet, going about the business of the groups of `createGenesis()`: given a block that
 * was just committed (`time` in nanoseconds), the signed transactions to submit now, two at most and one of an account. They submit,
 * vote, execute, withdraw and change policies so that proposals of all five statuses are always there, and so that the number of
 * proposals stays bounded. Beside that they send tokens, attest and set prices. Accounts 8 and 9 are never used.
 */
export function createActors(
  options: ActorsOptions,
): (block: { readonly height: bigint; readonly time: bigint }) => Uint8Array[] {
  const { query, chainId, seed = 1, perSecond = 1.3 } = options;
  const chance = createRandom(seed + 1);
  const gather = () => {
    const accounts = createAccounts(10);
    const actors = accounts.slice(0, 8);
    const planner = createPlanner({ cast: createCast(accounts), actors, random: createRandom(seed) });
    return { actors, planner, market: createMarket({ accounts, random: createRandom(seed + 2) }) };
  };
  // Their keys are dear to make, and nobody needs them before the first block.
  let gathered: ReturnType<typeof gather> | undefined;
  let allowance = 0;
  let before: bigint | undefined;

  return ({ height, time }) => {
    const elapsed = before === undefined ? 1 : Number(time - before) / 1e9;
    before = time;
    allowance = Math.min(allowance + elapsed * perSecond, mostInABlock);
    gathered ??= gather();
    const { actors, planner, market } = gathered;
    const reader = createChainReader(query, height);
    const dealing = chance.next() < Math.min(1, elapsed * dealsPerSecond);
    const deal = dealing ? market.deed(reader, actors) : undefined;
    const count = Math.min(Math.floor(allowance), deal === undefined ? mostInABlock : mostInABlock - 1);
    allowance -= count;
    const busy = new Set(deal === undefined ? [] : [deal.actor]);
    const deeds = count < 1 ? [] : planner.deeds(reader, time, count, busy);
    return [...(deal === undefined ? [] : [deal]), ...deeds].map(({ actor, message }) => {
      const { accountNumber, sequence } = reader.account(actor.address);
      const timeoutHeight = height + patience;
      return signTx({ account: actor, accountNumber, sequence, chainId, messages: [message], fee, timeoutHeight });
    });
  };
}
