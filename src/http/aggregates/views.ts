import type { z } from 'zod';
import { displayOf } from '../../modules/bank/display.ts';
import type { Coin } from '../../modules/bank/model.ts';
import { createBlockLoaders } from '../../modules/blocks/loaders.ts';
import { pricePerDisplayUnit, pricePerUnit, type Valuation, valuationOf } from '../../modules/netAssetValue/price.ts';
import type { Pin } from '../../reads/pin.ts';
import type { amount, price, worth } from './schemas.ts';

/** A coin with its display unit. */
export async function amountOf(pin: Pin, coin: Coin): Promise<z.output<typeof amount>> {
  return { denom: coin.denom, amount: coin.amount, display: await displayOf(pin, coin) };
}

/** What one unit is worth, and what a coin is, in a price denom; null where there is no net asset value in it. */
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

/** What a coin is worth by the last net asset value. */
export async function worthOf(pin: Pin, coin: Coin, priceDenom: string): Promise<Worth> {
  const valuation = await valuationOf(pin, coin, priceDenom);
  if (valuation === null) return { price: null, value: null };
  const { denom, amount: worthAmount, display } = valuation;
  return { price: await priceOf(pin, valuation), value: { denom, amount: worthAmount, display } };
}

/** Time of a block up to the height read. That of the head costs nothing. */
export async function blockTime({ client, loaders }: Pin, height: bigint): Promise<string> {
  const head = client.head.current();
  return head?.height === height ? head.time : (await loaders(createBlockLoaders).block.load(height)).header.time;
}
