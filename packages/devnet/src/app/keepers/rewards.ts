import { encodeAddress, moduleAddress } from '../runtime/address.ts';
import { feeDenom } from '../runtime/coins.ts';
import { plainEvent } from '../runtime/events.ts';
import type { Keeper } from '../runtime/keeper.ts';
import { readBalance, sendCoins } from './bank/state.ts';

/** The module account that receives fees. */
export const feeCollector = moduleAddress('fee_collector');

const mint = moduleAddress('mint');
const distribution = moduleAddress('distribution');
const decimals = 18;

function share(amount: bigint, perThousand: bigint): string {
  const scaled = (amount * perThousand * 10n ** BigInt(decimals)) / 1000n;
  const digits = scaled.toString().padStart(decimals + 1, '0');
  return `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}${feeDenom}`;
}

/**
 * The visible effects of minting and distribution at the start of every block: nothing is minted, and the fees of the previous
 * block go to the distribution account, 98 % of them as rewards, a tenth of these as commission (recorded shares). The
 * operator's address is derived from the proposer's bytes, because the devnet has no staking.
 */
export const rewardsKeeper: Keeper = {
  messages: [],
  queries: [],
  beginBlock(context) {
    context.emit(plainEvent('message', [['sender', encodeAddress(mint)]]));
    context.emit(
      plainEvent('mint', [
        ['bonded_ratio', '0.000002000000000000'],
        ['inflation', '0.000000000000000000'],
        ['annual_provisions', '0.000000000000000000'],
        ['amount', '0'],
      ]),
    );
    if (context.block.height <= 1n) return;
    const fees = readBalance(context, feeCollector, feeDenom);
    if (fees === 0n) {
      context.emit(plainEvent('message', [['sender', encodeAddress(feeCollector)]]));
      return;
    }
    sendCoins(context, feeCollector, distribution, [{ denom: feeDenom, amount: fees }]);
    const validator = encodeAddress(context.block.proposer, 'tpvaloper');
    context.emit(
      plainEvent('commission', [
        ['amount', share(fees, 98n)],
        ['validator', validator],
      ]),
    );
    context.emit(
      plainEvent('rewards', [
        ['amount', share(fees, 980n)],
        ['validator', validator],
      ]),
    );
  },
};
