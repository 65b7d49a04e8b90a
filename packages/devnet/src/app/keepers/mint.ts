import { Query } from '../../../../../src/proto/cosmos/mint/v1beta1/query_pb.js';
import { encodeAddress, moduleAddress } from '../runtime/address.ts';
import { feeDenom } from '../runtime/coins.ts';
import { one } from '../runtime/dec.ts';
import { plainEvent } from '../runtime/events.ts';
import { type Keeper, onQuery } from '../runtime/keeper.ts';

const account = moduleAddress('mint');
const zero = Buffer.from('0');

/** The mint module. Nothing is minted, as on Provenance: the events are recorded, the queries have the form of the Cosmos SDK. */
export const mintKeeper: Keeper = {
  messages: [],
  queries: [
    onQuery(Query.method.params, () => ({
      params: {
        mintDenom: feeDenom,
        inflationRateChange: '0',
        inflationMax: '0',
        inflationMin: '0',
        goalBonded: String((one * 67n) / 100n),
        blocksPerYear: 6_311_520n,
      },
    })),
    onQuery(Query.method.inflation, () => ({ inflation: zero })),
    onQuery(Query.method.annualProvisions, () => ({ annualProvisions: zero })),
  ],
  beginBlock(context) {
    context.emit(plainEvent('message', [['sender', encodeAddress(account)]]));
    context.emit(
      plainEvent('mint', [
        ['bonded_ratio', '0.000002000000000000'],
        ['inflation', '0.000000000000000000'],
        ['annual_provisions', '0.000000000000000000'],
        ['amount', '0'],
      ]),
    );
  },
};
