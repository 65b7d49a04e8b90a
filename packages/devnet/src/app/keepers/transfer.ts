import { createHash } from 'node:crypto';
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { Query } from '../../../../../src/proto/ibc/applications/transfer/v1/query_pb.js';
import { DenomSchema } from '../../../../../src/proto/ibc/applications/transfer/v1/token_pb.js';
import { StatusError } from '../runtime/abciErrors.ts';
import type { IbcDenom } from '../runtime/genesisState.ts';
import { type Keeper, onQuery } from '../runtime/keeper.ts';
import { keyOf } from '../state/bytes.ts';

const store = 'transfer';
const denomPrefix = '\x03';

function hashOf({ base, trace }: IbcDenom): Uint8Array {
  const hops = trace.map(({ portId, channelId }) => `${portId}/${channelId}/`);
  return new Uint8Array(
    createHash('sha256')
      .update(`${hops.join('')}${base}`)
      .digest(),
  );
}

/** The denomination `ibc/…` of tokens of another chain: the hash of their path and name. */
export function ibcDenom(denom: IbcDenom): string {
  return `ibc/${Buffer.from(hashOf(denom)).toString('hex').toUpperCase()}`;
}

/** The names of the tokens of other chains, which are in the genesis. The devnet has no channels and no transfers. */
export const transferKeeper: Keeper = {
  messages: [],
  queries: [
    // The text for an unknown denomination is recorded, that for other texts is not.
    onQuery(Query.method.denom, (state, { hash: asked }) => {
      const hash = asked.replace(/^ibc\//, '');
      if (!/^[0-9a-fA-F]{64}$/.test(hash)) throw new StatusError('InvalidArgument', `invalid denom trace hash: ${hash}`);
      const stored = state.get(store, denomPrefix + keyOf(Buffer.from(hash, 'hex')));
      if (stored === undefined) throw new StatusError('NotFound', `${hash}: denomination not found`);
      return { denom: fromBinary(DenomSchema, stored) };
    }),
  ],
  initGenesis(context, { ibcDenoms = [] }) {
    for (const denom of ibcDenoms) {
      const { base, trace } = denom;
      const value = toBinary(DenomSchema, create(DenomSchema, { base, trace: trace.map((hop) => ({ ...hop })) }));
      context.set(store, denomPrefix + keyOf(hashOf(denom)), value);
    }
  },
};
