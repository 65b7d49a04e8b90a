import { LRUCache } from 'lru-cache';
import type { Descriptors } from '../../chain/descriptors/descriptors.ts';
import { QueryDenomTraceResponseSchema } from '../../proto/ibc/applications/transfer/v1/denomtrace_pb.js';
import { Query } from '../../proto/ibc/applications/transfer/v1/query_pb.js';
import { type Awaitable, andThen, lazyLoaders, type Pin, weakMemo } from '../../reads/pin.ts';
import { orIfAbsent, stateReadOrNull, valueOnce } from '../../reads/query.ts';

/** Where a token of another chain came from. */
export interface IbcDenom {
  /** The ports and channels that it came through, the last one first: `transfer/channel-0`. */
  readonly path: string;
  /** Its denom on the chain that issued it. */
  readonly baseDenom: string;
}

/** Most denoms of one chain that are kept. */
const maxKept = 2_000;

/** The denoms of each chain. The name of a denom is the hash of its path and base, so they never change. */
const keptDenoms = weakMemo((_: Descriptors) => new LRUCache<string, IbcDenom>({ max: maxKept }));

/** Reads the denom with a hash; null if no token of it was ever received. */
const readDenom = stateReadOrNull({
  method: Query.method.denom,
  request: (hash: string) => ({ hash }),
  value: ({ denom }): IbcDenom | null =>
    denom === undefined
      ? null
      : { path: denom.trace.map(({ portId, channelId }) => `${portId}/${channelId}`).join('/'), baseDenom: denom.base },
  absences: [],
});

/**
 * Reads the denom with a hash on a chain with ibc-go before version 10, whose method has another name, and the same request. Guess, from the published
 * definitions of version 8: no recording has it, and that an absent denom is code 22 there too.
 */
const readTrace = stateReadOrNull({
  method: { ...Query.method.denom, name: 'DenomTrace', localName: 'denomTrace', output: QueryDenomTraceResponseSchema },
  request: (hash: string) => ({ hash }),
  value: ({ denomTrace }): IbcDenom | null => denomTrace ?? null,
  absences: [],
});

const createIbcLoaders = lazyLoaders({ denom: valueOnce(readDenom), trace: valueOnce(readTrace) });

/** The denom with a hash, by the method that the chain has; null if it has neither or does not know the denom. */
function readHash(pin: Pin, hash: string): Awaitable<IbcDenom | null> {
  const { denom, trace } = pin.loaders(createIbcLoaders);
  return andThen(orIfAbsent(denom.load(hash), undefined), (value) =>
    value === undefined ? orIfAbsent(trace.load(hash), null) : value,
  );
}

/** Where the token of a denom came from; null for tokens of this chain, and if the chain has no transfers of IBC or does not know the denom. */
export function ibcDenomOf(pin: Pin, denom: string): Awaitable<IbcDenom | null> {
  const [, hash] = /^ibc\/([0-9A-F]{64})$/.exec(denom) ?? [];
  if (hash === undefined) return null;
  const chainDenoms = keptDenoms(pin.descriptors);
  const knownDenom = chainDenoms.get(hash);
  if (knownDenom !== undefined) return knownDenom;
  return andThen(readHash(pin, hash), (value) => {
    if (value !== null) chainDenoms.set(hash, value);
    return value;
  });
}
