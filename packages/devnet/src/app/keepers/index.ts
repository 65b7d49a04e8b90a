import type { DevnetModule } from '../../../../../src/config/devnetModules.ts';
import { minimumGasPrice } from '../runtime/gas.ts';
import type { Keeper } from '../runtime/keeper.ts';
import { otherRelease, release } from '../runtime/release.ts';
import { attributeKeeper } from './attribute/index.ts';
import { purgeAttributes } from './attribute/state.ts';
import { createAuthzKeeper } from './authz/index.ts';
import { createBankKeeper } from './bank/index.ts';
import { authKeeper } from './base/auth.ts';
import { holdKeeper } from './base/hold.ts';
import { createBlockKeeper } from './blocks.ts';
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
  /** The modules that the chain does not have. */
  readonly absent: ReadonlySet<string>;
}

/**
 * Creates every chain module of the devnet that is not absent, in the order of begin block, end block and genesis: marker accounts precede module
 * accounts. To add a module, add a line here.
 */
export function createKeepers(settings: KeeperSettings): Keeper[] {
  const optional = (name: DevnetModule, keeper: Keeper): Keeper[] => (settings.absent.has(name) ? [] : [keeper]);
  return [
    rewardsKeeper,
    ...optional('marker', markerKeeper),
    authKeeper,
    createBankKeeper(requireSendable),
    ...optional('hold', holdKeeper),
    ...optional('name', createNameKeeper(purgeAttributes)),
    ...optional('attribute', attributeKeeper),
    ...optional('metadata', metadataKeeper),
    ...optional('feegrant', feegrantKeeper),
    ...optional('flatfees', createFlatFeesKeeper(settings.simulate)),
    stakingKeeper,
    everyBlockKeeper,
    ...optional('group', createGroupKeeper(settings.group)),
    ...optional('authz', createAuthzKeeper(settings.group.decode)),
    createSimulationKeeper(settings.simulate),
    txKeeper,
    createNodeConfigKeeper(settings.absent.has('flatfees') ? minimumGasPrice : ''),
    createBlockKeeper(settings.absent.size === 0 ? release : otherRelease),
    createReflectionKeeper(settings.absent),
  ];
}
