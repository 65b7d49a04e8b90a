import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { malformed } from '../../chain/wire/json.ts';
import { Service } from '../../proto/cosmos/base/node/v1beta1/query_pb.js';
import { queryLatest } from '../../reads/query.ts';
import type { Coin } from '../bank/query.ts';
import type { SimulationSource } from './flatFees.ts';

/** What a unit of gas costs. */
export interface GasPrice {
  readonly denom: string;
  /** In 10^-18 of a base unit. */
  readonly amount: bigint;
}

/** Digits after the decimal point of prices on the chain. */
const decimals = 18;

const one = 10n ** BigInt(decimals);

/** A decimal number and a denomination, such as `0.025000000000000000stake`. */
const priceText = /^(\d+)(?:\.(\d{1,18}))?([a-zA-Z][\w/:.-]{1,127})$/;

/** Parses a node's minimum gas prices, which are separated by commas; empty if it has none. Another text is NODE_INVALID_RESPONSE. */
export function parseGasPrices(text: string): readonly GasPrice[] {
  const parts = text.split(',').filter((part) => part !== '');
  return parts.map((part) => {
    const [, whole, fraction = '', denom] = priceText.exec(part.trim()) ?? [];
    if (whole === undefined || denom === undefined)
      throw malformed('the minimum gas price is no decimal number with a denomination');
    return { denom, amount: BigInt(whole) * one + BigInt(fraction.padEnd(decimals, '0')) };
  });
}

/** The minimum gas prices of one node, each of which is enough. Prices of 0 are left out. */
export async function readGasPrices({ client, signal }: SimulationSource): Promise<readonly GasPrice[]> {
  const { input, output, parent, name } = Service.method.config;
  const answer = await queryLatest({ client, signal }, `/${parent.typeName}/${name}`, toBinary(input, create(input)));
  return parseGasPrices(fromBinary(output, answer).minimumGasPrice).filter(({ amount }) => amount > 0n);
}

/** The fee for an amount of gas, rounded up to base units as a node does (Cosmos SDK, x/auth/ante/validator_tx_fee.go). */
export function feeOf({ denom, amount }: GasPrice, gas: bigint): Coin {
  return { denom, amount: String((amount * gas + one - 1n) / one) };
}
