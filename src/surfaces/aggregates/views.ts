import type { z } from 'zod';
import { type Coin, displayOf } from '../../modules/bank/query.ts';
import { createBlockLoaders } from '../../modules/blocks/query.ts';
import { pricePerDisplayUnit, pricePerUnit, type Valuation, valuationOf } from '../../modules/netAssetValue/query.ts';
import type { Pin } from '../../reads/pin.ts';
import type { amount, price, worth } from './schemas.ts';

/** Returns a coin with its amount in the display unit. */
export async function amountOf(pin: Pin, coin: Coin): Promise<z.output<typeof amount>> {
  return { denom: coin.denom, amount: coin.amount, display: await displayOf(pin, coin) };
}

/** The price of one unit and the value of a coin, in a price denom. null if there is no net asset value in that denom. */
export interface Worth {
  readonly price: z.output<typeof price> | null;
  readonly value: z.output<typeof worth> | null;
}

async function priceOf(pin: Pin, { netAssetValue: value }: Valuation): Promise<z.output<typeof price> | null> {
  const perUnit = pricePerUnit(value);
  if (perUnit === null) return null;
  return {
    denom: value.price.denom,
    perUnit,
    perDisplayUnit: await pricePerDisplayUnit(pin, value),
    updatedBlockHeight: value.updatedBlockHeight.toString(),
  };
}

/** Returns the price and the value of a coin from the last net asset value. */
export async function worthOf(pin: Pin, coin: Coin, priceDenom: string): Promise<Worth> {
  const valuation = await valuationOf(pin, coin, priceDenom);
  if (valuation === null) return { price: null, value: null };
  const { denom, amount: worthAmount, display } = valuation;
  return { price: await priceOf(pin, valuation), value: { denom, amount: worthAmount, display } };
}

/** Returns the time of a block at or below the pinned height. The time of the head needs no read. */
export async function blockTime({ client, loaders }: Pin, height: bigint): Promise<string> {
  const head = client.head.current();
  return head?.height === height ? head.time : (await loaders(createBlockLoaders).block.load(height)).header.time;
}
