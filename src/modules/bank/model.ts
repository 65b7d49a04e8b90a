import type { DenomUnit, Metadata } from '../../proto/cosmos/bank/v1beta1/bank_pb.js';
import type { Coin as WireCoin } from '../../proto/cosmos/base/v1beta1/coin_pb.js';

/** An amount of a denom: a whole number of base units, as decimal text. */
export interface Coin {
  readonly denom: string;
  readonly amount: string;
}

/** Converts a coin from protobuf. */
export function coinFromWire({ denom, amount }: WireCoin): Coin {
  return { denom, amount };
}

/**
 * Parses coins in the form of events: `5nhash,100goldcoin`. Returns an empty list for empty text, undefined for malformed text.
 */
export function coinsOfText(text: string): readonly Coin[] | undefined {
  if (text === '') return [];
  const coins = text.split(',').flatMap((each) => {
    const [, amount, denom] = /^(\d+)([a-zA-Z][^,]*)$/.exec(each) ?? [];
    return amount === undefined || denom === undefined ? [] : [{ denom, amount }];
  });
  return coins.length === text.split(',').length ? coins : undefined;
}

/** Bank metadata of a denom: its names and units. */
export interface DenomMetadata {
  readonly description: string;
  /** By ascending exponent, base unit first. */
  readonly denomUnits: readonly Pick<DenomUnit, 'denom' | 'exponent' | 'aliases'>[];
  readonly base: string;
  readonly display: string;
  readonly name: string;
  readonly symbol: string;
  readonly uri: string;
  readonly uriHash: string;
}

/** Converts metadata from protobuf. */
export function metadataFromWire(metadata: Metadata): DenomMetadata {
  const { description, base, display, name, symbol, uri, uriHash } = metadata;
  const denomUnits = metadata.denomUnits.map(({ denom, exponent, aliases }) => ({ denom, exponent, aliases }));
  return { description, denomUnits, base, display, name, symbol, uri, uriHash };
}

/** An account that holds a denom, with its balance. */
export interface Holding {
  readonly address: string;
  readonly balance: Coin;
}
