import type { Application } from '../../abci/abci.ts';
import { createFixtures } from '../fixtures/fixtures.ts';
import { feeDenom } from '../runtime/coins.ts';
import { createRandom } from '../runtime/random.ts';
import { createAccounts, signTx } from '../runtime/wallet.ts';
import { createChainReader } from './chainReader.ts';
import { createMarket } from './market.ts';
import { createPlanner } from './planner.ts';

/** Options of {@link createActors}. */
export interface ActorsOptions {
  /** Reads the chain. */
  readonly query: Application['query'];
  readonly chainId: string;
  /** Random seed. The same seed and the same blocks produce the same transactions. Default 1. */
  readonly seed?: number;
  /** Average number of transactions about proposals for each second of chain time. Default 1.3. */
  readonly perSecond?: number;
  /** The modules that the chain does not have. Default: none. */
  readonly absent?: ReadonlySet<string>;
}

const maxPerBlock = 2;
/** Average number of market transactions for each second of chain time: nine a minute. */
const dealsPerSecond = 0.15;
const fee = { amount: [{ denom: feeDenom, amount: 10_000_000n }], gas: 1_000_000n };
// A transaction that none of the next blocks includes is outdated.
const timeoutBlocks = 20n;

/**
 * Creates the actors: the first eight accounts of the devnet's wallet, which act as members of the groups of `createGenesis()`.
 * Call the returned function with each committed block (`time` in nanoseconds). It returns the signed transactions to submit:
 * at most two, from different accounts. The actors submit, vote on, execute and withdraw proposals and change policies, so that
 * proposals of all five statuses always exist and their number stays bounded. They also send tokens, write attributes and set
 * prices. On a chain without groups, markers or attributes, they only do what is left. Accounts 8 and 9 are never used.
 */
export function createActors(
  options: ActorsOptions,
): (block: { readonly height: bigint; readonly time: bigint }) => Uint8Array[] {
  const { query, chainId, seed = 1, perSecond = 1.3, absent = new Set() } = options;
  const chance = createRandom(seed + 1);
  const prepare = () => {
    const accounts = createAccounts(10);
    const actors = accounts.slice(0, 8);
    const planner = createPlanner({
      ...{ fixtures: createFixtures(accounts), actors, random: createRandom(seed) },
      hasGroups: !absent.has('group'),
    });
    return { actors, planner, market: createMarket({ accounts, random: createRandom(seed + 2), absent }) };
  };
  // Deriving the keys is expensive, and not needed before the first block.
  let prepared: ReturnType<typeof prepare> | undefined;
  let allowance = 0;
  let before: bigint | undefined;

  return ({ height, time }) => {
    const elapsed = before === undefined ? 1 : Number(time - before) / 1e9;
    before = time;
    allowance = Math.min(allowance + elapsed * perSecond, maxPerBlock);
    prepared ??= prepare();
    const { actors, planner, market } = prepared;
    const reader = createChainReader(query, height);
    const dealing = chance.next() < Math.min(1, elapsed * dealsPerSecond);
    const deal = dealing ? market.plan(reader, actors) : undefined;
    const count = Math.min(Math.floor(allowance), deal === undefined ? maxPerBlock : maxPerBlock - 1);
    allowance -= count;
    const busy = new Set(deal === undefined ? [] : [deal.actor]);
    const planned = count < 1 ? [] : planner.plan(reader, time, count, busy);
    return [...(deal === undefined ? [] : [deal]), ...planned].map(({ actor, message }) => {
      const { accountNumber, sequence } = reader.account(actor.address);
      const timeoutHeight = height + timeoutBlocks;
      return signTx({ account: actor, accountNumber, sequence, chainId, messages: [message], fee, timeoutHeight });
    });
  };
}
