import { fromBinary } from '@bufbuild/protobuf';
import { NameRecordSchema } from '../../../../../../src/proto/provenance/name/v1/name_pb.js';
import { Query } from '../../../../../../src/proto/provenance/name/v1/query_pb.js';
import { decodeAddress, encodeAddress, moduleAddress } from '../../runtime/address.ts';
import { type Keeper, onQuery } from '../../runtime/keeper.ts';
import { keyOf, sizedKey } from '../../state/bytes.ts';
import { pageUnder } from '../base/page.ts';
import { createNameMessages, type NameHook } from './messages.ts';
import { accountDataName, loadName, nameKeys, nameParams, nameStore, normalizeName, saveName } from './state.ts';

/** The name module. The name of account data is always bound to the attribute module. */
export const createNameKeeper = (onDelete: NameHook): Keeper => ({
  messages: createNameMessages(onDelete),
  queries: [
    onQuery(Query.method.params, () => ({ params: nameParams })),
    onQuery(Query.method.resolve, (state, request) => {
      const { address, restricted } = loadName(state, normalizeName(request.name));
      return { address, restricted };
    }),
    onQuery(Query.method.reverseLookup, (state, { address, pagination: request }) => {
      const prefix = nameKeys.address + sizedKey(keyOf(decodeAddress(address)));
      const { entries, pagination } = pageUnder(state, nameStore, prefix, request);
      return { name: entries.map(({ value }) => fromBinary(NameRecordSchema, value).name), pagination };
    }),
  ],
  initGenesis(context, { names = [] }) {
    saveName(context, accountDataName, encodeAddress(moduleAddress('attribute')), true);
    for (const { name = '', address = '', restricted = false } of names) saveName(context, name, address, restricted);
  },
});
