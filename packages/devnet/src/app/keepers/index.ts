import type { Keeper } from '../runtime/keeper.ts';
import { attributeKeeper } from './attribute/index.ts';
import { purgeAttributes } from './attribute/state.ts';
import { createAuthzKeeper } from './authz/index.ts';
import { createBankKeeper } from './bank/index.ts';
import { authKeeper } from './base/auth.ts';
import { holdKeeper } from './base/hold.ts';
import { blockKeeper } from './blocks.ts';
import { feegrantKeeper } from './feegrant/index.ts';
import { createFlatFeesKeeper, type Simulate } from './flatfees.ts';
import { createGroupKeeper, type GroupSettings } from './group/index.ts';
import { markerKeeper } from './marker/index.ts';
import { requireSendable } from './marker/restrictions.ts';
import { metadataKeeper } from './metadata/index.ts';
import { createNameKeeper } from './name/index.ts';
import { createNodeConfigKeeper } from './nodeConfig.ts';
import { createReflectionKeeper } from './reflection.ts';
import { rewardsKeeper } from './rewards.ts';
import { createSimulationKeeper } from './simulation.ts';
import { stakingKeeper } from './staking.ts';
import { everyBlockKeeper } from './stores.ts';
import { txKeeper } from './txs.ts';

/** Settings of the modules. */
export interface KeeperSettings {
  readonly group: GroupSettings;
  readonly simulate: Simulate;
}

/**
 * Creates every chain module of the devnet, in the order of begin block, end block and genesis: marker accounts precede module
 * accounts. To add a module, add a line here.
 */
export function createKeepers(settings: KeeperSettings): Keeper[] {
  return [
    rewardsKeeper,
    markerKeeper,
    authKeeper,
    createBankKeeper(requireSendable),
    holdKeeper,
    createNameKeeper(purgeAttributes),
    attributeKeeper,
    metadataKeeper,
    feegrantKeeper,
    createFlatFeesKeeper(settings.simulate),
    stakingKeeper,
    everyBlockKeeper,
    createGroupKeeper(settings.group),
    createAuthzKeeper(settings.group.decode),
    createSimulationKeeper(settings.simulate),
    txKeeper,
    createNodeConfigKeeper(''),
    blockKeeper,
    createReflectionKeeper(),
  ];
}
