import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { Query } from '../../../../../src/proto/cosmos/slashing/v1beta1/query_pb.js';
import { ValidatorSigningInfoSchema } from '../../../../../src/proto/cosmos/slashing/v1beta1/slashing_pb.js';
import { StatusError } from '../runtime/abciErrors.ts';
import { addressPrefix, decodeBech32, encodeAddress } from '../runtime/address.ts';
import type { Context } from '../runtime/context.ts';
import { type Dec, one } from '../runtime/dec.ts';
import { type Keeper, onQuery } from '../runtime/keeper.ts';
import { durationOf, seconds, timestampOf } from '../runtime/time.ts';
import { keyOf, sizedKey } from '../state/bytes.ts';
import { pageUnder } from './base/page.ts';
import { consensusAddress } from './staking/index.ts';

const store = 'slashing';
/** The prefix of the Cosmos SDK, and the length of the addresses. */
const prefix = '\x01\x14';
const decBytes = (value: Dec) => Buffer.from(String(value));

function writeInfo(context: Context, publicKey: Uint8Array, missed: bigint, jailed: boolean): void {
  const address = consensusAddress(publicKey);
  const info = create(ValidatorSigningInfoSchema, {
    address: encodeAddress(address, `${addressPrefix}valcons`),
    missedBlocksCounter: missed,
    jailedUntil: timestampOf(jailed ? context.block.time : 0n),
  });
  context.set(store, `\x01${sizedKey(keyOf(address))}`, toBinary(ValidatorSigningInfoSchema, info));
}

/** The slashing module. The validators that make blocks miss none; those of the genesis have missed what it says. Not recorded. */
export const slashingKeeper: Keeper = {
  messages: [],
  queries: [
    onQuery(Query.method.params, () => ({
      params: {
        signedBlocksWindow: 10_000n,
        minSignedPerWindow: decBytes(one / 20n),
        downtimeJailDuration: durationOf(seconds(600)),
        slashFractionDoubleSign: decBytes(one / 20n),
        slashFractionDowntime: decBytes(one / 100n),
      },
    })),
    onQuery(Query.method.signingInfo, (state, { consAddress }) => {
      if (consAddress === '') throw new StatusError('InvalidArgument', 'invalid request');
      const stored = state.get(store, `\x01${sizedKey(keyOf(decodeBech32(consAddress).bytes))}`);
      if (stored === undefined) throw new StatusError('NotFound', `SigningInfo not found for validator ${consAddress}`);
      return { valSigningInfo: fromBinary(ValidatorSigningInfoSchema, stored) };
    }),
    onQuery(Query.method.signingInfos, (state, { pagination: request }) => {
      const { entries, pagination } = pageUnder(state, store, prefix, request);
      return { info: entries.map(({ value }) => fromBinary(ValidatorSigningInfoSchema, value)), pagination };
    }),
  ],
  initGenesis(context, { staking }, validators) {
    for (const { publicKey } of validators) writeInfo(context, publicKey, 0n, false);
    for (const { publicKey, missedBlocks = 0n, jailed = false } of staking?.validators ?? []) {
      writeInfo(context, publicKey, missedBlocks, jailed);
    }
  },
};
