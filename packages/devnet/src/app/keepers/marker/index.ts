import { create } from '@bufbuild/protobuf';
import { MarkerAccountSchema } from '../../../../../../src/proto/provenance/marker/v1/marker_pb.js';
import type { Keeper } from '../../runtime/keeper.ts';
import { keyOf } from '../../state/bytes.ts';
import { numberAccount } from '../base/auth.ts';
import { markerControl } from './controlMessages.ts';
import { markerLifecycle } from './lifecycleMessages.ts';
import { markerQueries } from './queries.ts';
import { destroyedMarkers, forgetMarker, markerAddress, markerKeys, markerStore, saveMarker } from './state.ts';
import { markerSupply } from './supplyMessages.ts';

/** The marker module: permissions and net asset values of denominations (docs/chain.md, "Markers"). */
export const markerKeeper: Keeper = {
  messages: [...markerLifecycle, ...markerSupply, ...markerControl],
  queries: markerQueries,
  initGenesis(context, { markers = [] }) {
    for (const init of markers) {
      const marker = create(MarkerAccountSchema, init);
      marker.baseAccount = numberAccount(context, markerAddress(marker.denom));
      saveMarker(context, marker);
    }
  },
  beginBlock(context) {
    for (const address of destroyedMarkers(context)) {
      forgetMarker(context, address);
      context.delete(markerStore, markerKeys.destroyed + keyOf(address));
    }
  },
};
