import type { DenomUnit, Metadata } from '../../proto/cosmos/bank/v1beta1/bank_pb.js';
import type { Coin as WireCoin } from '../../proto/cosmos/base/v1beta1/coin_pb.js';

/** An amount of a denom: whole base units, in decimal. */
export interface Coin {
  readonly denom: string;
  readonly amount: string;
}

/** A coin of the wire. */
export function coinFromWire({ denom, amount }: WireCoin): Coin {
  return { denom, amount };
}

/** Coins as events have them: `5nhash,100goldcoin`; empty for none. undefined for other text. */
export function coinsOfText(text: string): readonly Coin[] | undefined {
  if (text === '') return [];
  const coins = text.split(',').flatMap((each) => {
    const [, amount, denom] = /^(\d+)([a-zA-Z][^,]*)$/.exec(each) ?? [];
    return amount === undefined || denom === undefined ? [] : [{ denom, amount }];
  });
  return coins.length === text.split(',').length ? coins : undefined;
}

/** How a denom is shown to people. */
export interface DenomMetadata {
  readonly description: string;
  /** From the base unit up. */
  readonly denomUnits: readonly Pick<DenomUnit, 'denom' | 'exponent' | 'aliases'>[];
  readonly base: string;
  readonly display: string;
  readonly name: string;
  readonly symbol: string;
  readonly uri: string;
  readonly uriHash: string;
}

/** Metadata of the wire. */
export function metadataFromWire(metadata: Metadata): DenomMetadata {
  const { description, base, display, name, symbol, uri, uriHash } = metadata;
  const denomUnits = metadata.denomUnits.map(({ denom, exponent, aliases }) => ({ denom, exponent, aliases }));
  return { description, denomUnits, base, display, name, symbol, uri, uriHash };
}

/** Who holds a denom, and how much. */
export interface Holding {
  readonly address: string;
  readonly balance: Coin;
}
