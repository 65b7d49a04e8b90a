import { create } from '@bufbuild/protobuf';
import { CoinSchema } from '../../../../../../src/proto/cosmos/base/v1beta1/coin_pb.js';
import {
  EventScopeCreatedSchema,
  EventScopeDeletedSchema,
  EventScopeUpdatedSchema,
  EventSetNetAssetValueSchema,
} from '../../../../../../src/proto/provenance/metadata/v1/events_pb.js';
import { ScopeSchema } from '../../../../../../src/proto/provenance/metadata/v1/scope_pb.js';
import {
  MsgAddNetAssetValuesRequestSchema,
  MsgAddNetAssetValuesResponseSchema,
  MsgDeleteScopeRequestSchema,
  MsgDeleteScopeResponseSchema,
  MsgUpdateValueOwnersRequestSchema,
  MsgUpdateValueOwnersResponseSchema,
  MsgWriteScopeRequestSchema,
  MsgWriteScopeResponseSchema,
} from '../../../../../../src/proto/provenance/metadata/v1/tx_pb.js';
import { PlainError, refusing } from '../../runtime/abciErrors.ts';
import { decodeAddress, encodeAddress, moduleAddress } from '../../runtime/address.ts';
import { coinsText } from '../../runtime/coins.ts';
import type { Context } from '../../runtime/context.ts';
import { typedEvent } from '../../runtime/events.ts';
import { type MessageHandler, onMessage } from '../../runtime/keeper.ts';
import {
  addressOfUuid,
  decodeMetadataAddress,
  encodeMetadataAddress,
  isMetadataAddress,
} from '../../runtime/metadataAddress.ts';
import { burnCoins, mintCoins, sendCoins } from '../bank/state.ts';
import { findMarker } from '../marker/state.ts';
import { usdDenom } from '../marker/values.ts';
import { completed, loadScope, ownersOf, requireSigned } from './checks.ts';
import { scopeIdInfo } from './idInfo.ts';
import { removeRecord } from './recordMessages.ts';
import {
  findScopeSpec,
  findStoredScope,
  recordsOf,
  removeScope,
  saveScope,
  saveScopeValue,
  scopeDenom,
  valueOwnerOf,
} from './state.ts';

const module = moduleAddress('metadata');

function setScopeValue(context: Context, scopeId: Uint8Array, denom: string, amount: string, volume: bigint): void {
  if (denom !== usdDenom && findMarker(context, denom) === undefined) {
    throw new PlainError(`net asset value denom does not exist: marker not found for ${denom}`);
  }
  saveScopeValue(context, scopeId, create(CoinSchema, { denom, amount }), volume);
  const price = coinsText([{ denom, amount: BigInt(amount) }]);
  const event = { scopeId: encodeMetadataAddress(scopeId), price, source: 'metadata', volume: String(volume) };
  context.emit(typedEvent(EventSetNetAssetValueSchema, event));
}

/** Sets the value owner: mints the scope's coin if there is none, and transfers it otherwise. */
function giveTo(context: Context, scopeId: Uint8Array, owner: string): void {
  const coins = [{ denom: scopeDenom(scopeId), amount: 1n }];
  const before = valueOwnerOf(context, scopeId);
  const to = decodeAddress(owner);
  if (before === undefined) {
    mintCoins(context, module, coins);
    sendCoins(context, module, to, coins);
  } else if (encodeAddress(before) !== owner) sendCoins(context, before, to, coins);
}

/**
 * WriteScope, DeleteScope, UpdateValueOwners, AddNetAssetValues. Events and their order are recorded, except for deletion and
 * for rewriting a scope.
 */
export const scopeMessages: readonly MessageHandler[] = [
  onMessage(
    MsgWriteScopeRequestSchema,
    MsgWriteScopeResponseSchema,
    ({ signers }) => signers,
    (context, message) =>
      refusing(() => {
        const { signers, scopeUuid, specUuid, usdMills } = message;
        const scope = create(ScopeSchema, message.scope);
        if (scopeUuid !== '') scope.scopeId = addressOfUuid('scope', scopeUuid);
        if (specUuid !== '') scope.specificationId = addressOfUuid('scopespec', specUuid);
        const { scopeId, specificationId, valueOwnerAddress } = scope;
        if (!isMetadataAddress('scope', scopeId)) throw new PlainError('invalid scope identifier');
        if (scope.owners.length === 0) throw new PlainError('invalid scope owners: at least one party is required');
        const before = findStoredScope(context, scopeId);
        if (findScopeSpec(context, specificationId) === undefined) throw new PlainError('scope specification not found');
        requireSigned(ownersOf(before ?? scope), signers);
        const holder = valueOwnerOf(context, scopeId);
        if (holder !== undefined && valueOwnerAddress !== '' && encodeAddress(holder) !== valueOwnerAddress) {
          requireSigned([encodeAddress(holder)], signers);
        }
        if (usdMills > 0n) setScopeValue(context, scopeId, usdDenom, String(usdMills), 1n);
        if (valueOwnerAddress !== '') giveTo(context, scopeId, valueOwnerAddress);
        saveScope(context, scope);
        const scopeAddr = encodeMetadataAddress(scopeId);
        context.emit(
          before === undefined
            ? typedEvent(EventScopeCreatedSchema, { scopeAddr })
            : typedEvent(EventScopeUpdatedSchema, { scopeAddr }),
        );
        completed(context, 'WriteScope', signers);
        return { scopeIdInfo: scopeIdInfo(scopeId) };
      }),
  ),
  onMessage(
    MsgDeleteScopeRequestSchema,
    MsgDeleteScopeResponseSchema,
    ({ signers }) => signers,
    (context, { scopeId, signers }) =>
      refusing(() => {
        const scope = loadScope(context, scopeId);
        const holder = valueOwnerOf(context, scopeId);
        requireSigned([...ownersOf(scope), ...(holder === undefined ? [] : [encodeAddress(holder)])], signers);
        removeScope(context, scope);
        if (holder !== undefined) {
          const coins = [{ denom: scopeDenom(scopeId), amount: 1n }];
          sendCoins(context, holder, module, coins);
          burnCoins(context, module, coins);
        }
        for (const record of recordsOf(context, scopeId)) removeRecord(context, record);
        context.emit(typedEvent(EventScopeDeletedSchema, { scopeAddr: encodeMetadataAddress(scopeId) }));
        completed(context, 'DeleteScope', signers);
        return {};
      }),
  ),
  onMessage(
    MsgUpdateValueOwnersRequestSchema,
    MsgUpdateValueOwnersResponseSchema,
    ({ signers }) => signers,
    (context, { scopeIds, valueOwnerAddress, signers }) =>
      refusing(() => {
        const to = decodeAddress(valueOwnerAddress);
        // The coins of one owner are one transfer.
        const byHolder = new Map<string, { denom: string; amount: bigint }[]>();
        for (const scopeId of scopeIds) {
          loadScope(context, scopeId);
          const holder = valueOwnerOf(context, scopeId);
          if (holder === undefined)
            throw new PlainError(`no account address associated with metadata address "${encodeMetadataAddress(scopeId)}"`);
          const owner = encodeAddress(holder);
          byHolder.set(owner, [...(byHolder.get(owner) ?? []), { denom: scopeDenom(scopeId), amount: 1n }]);
        }
        requireSigned([...byHolder.keys()], signers);
        for (const [owner, coins] of byHolder) {
          const sorted = coins.sort((a, b) => (a.denom < b.denom ? -1 : 1));
          sendCoins(context, decodeAddress(owner), to, sorted);
        }
        completed(context, 'UpdateValueOwners', signers);
        return {};
      }),
  ),
  onMessage(
    MsgAddNetAssetValuesRequestSchema,
    MsgAddNetAssetValuesResponseSchema,
    ({ signers }) => signers,
    (context, { scopeId: id, signers, netAssetValues }) =>
      refusing(() => {
        const scopeId = decodeMetadataAddress('scope', id);
        requireSigned(ownersOf(loadScope(context, scopeId)), signers);
        for (const { price, volume } of netAssetValues) {
          setScopeValue(context, scopeId, price?.denom ?? '', price?.amount ?? '0', volume === 0n ? 1n : volume);
        }
        return {};
      }),
  ),
];
