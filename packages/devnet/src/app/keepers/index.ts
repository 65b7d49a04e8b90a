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
import { distributionKeeper } from './distribution/index.ts';
import { distributionHooks } from './distribution/state.ts';
import { exchangeKeeper } from './exchange/index.ts';
import { feegrantKeeper } from './feegrant/index.ts';
import { createFlatFeesKeeper, type Simulate } from './flatfees.ts';
import { createGovKeeper } from './gov/index.ts';
import { createGroupKeeper, type GroupSettings } from './group/index.ts';
import { markerKeeper } from './marker/index.ts';
import { requireSendable } from './marker/restrictions.ts';
import { metadataKeeper } from './metadata/index.ts';
import { mintKeeper } from './mint.ts';
import { createNameKeeper } from './name/index.ts';
import { createNodeConfigKeeper } from './nodeConfig.ts';
import { createReflectionKeeper } from './reflection.ts';
import { createSimulationKeeper } from './simulation.ts';
import { slashingKeeper } from './slashing.ts';
import { createStakingKeeper } from './staking/index.ts';
import { createStoresKeeper } from './stores.ts';
import { transferKeeper } from './transfer.ts';
import { txKeeper } from './txs.ts';
import { wasmKeeper } from './wasm/index.ts';

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
    ...optional('mint', mintKeeper),
    ...optional('distribution', distributionKeeper),
    ...optional('marker', markerKeeper),
    authKeeper,
    createBankKeeper(requireSendable),
    ...optional('hold', holdKeeper),
    ...optional('name', createNameKeeper(purgeAttributes)),
    ...optional('attribute', attributeKeeper),
    ...optional('metadata', metadataKeeper),
    ...optional('exchange', exchangeKeeper),
    ...optional('feegrant', feegrantKeeper),
    ...optional('flatfees', createFlatFeesKeeper(settings.simulate)),
    ...optional('gov', createGovKeeper(settings.group.decode)),
    ...optional('staking', createStakingKeeper(settings.absent.has('distribution') ? undefined : distributionHooks)),
    ...optional('slashing', slashingKeeper),
    createStoresKeeper(settings.absent),
    ...optional('group', createGroupKeeper(settings.group)),
    ...optional('wasm', wasmKeeper),
    transferKeeper,
    ...optional('authz', createAuthzKeeper(settings.group.decode)),
    createSimulationKeeper(settings.simulate, !settings.absent.has('flatfees')),
    txKeeper,
    createNodeConfigKeeper(settings.absent.has('flatfees') ? minimumGasPrice : ''),
    createBlockKeeper(settings.absent.size === 0 ? release : otherRelease),
    createReflectionKeeper(settings.absent),
  ];
}
