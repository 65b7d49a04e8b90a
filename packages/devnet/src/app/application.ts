import { LRUCache } from 'lru-cache';
import type { DevnetModule } from '../../../../src/config/devnetModules.ts';
import type { AbciEvent, Application, BlockInput, TxResult } from '../abci/abci.ts';
import { answerQuery } from './abciQuery.ts';
import { mintCoins } from './keepers/bank/state.ts';
import { createKeepers } from './keepers/index.ts';
import { chainStores } from './keepers/stores.ts';
import { falseAnswer, falseStates } from './lies/falseState.ts';
import { wrapping } from './runtime/abciErrors.ts';
import { absentModules, genesisWithout } from './runtime/absentModules.ts';
import { decodeAddress } from './runtime/address.ts';
import { type BlockFacts, type Context, createContext } from './runtime/context.ts';
import { tagEvents } from './runtime/events.ts';
import { createGasMeter } from './runtime/gas.ts';
import type { Genesis } from './runtime/genesisState.ts';
import { type ChainValidator, createRouter, type Keeper, type Router } from './runtime/keeper.ts';
import { otherRelease, release } from './runtime/release.ts';
import { seconds } from './runtime/time.ts';
import { keyOf } from './state/bytes.ts';
import { type Branch, createStore, type Snapshot } from './state/store.ts';
import { rootOfStores } from './state/storeProof.ts';
import { type VerifySignature, verifySecp256k1 } from './transactions/ante.ts';
import { createTxRunner } from './transactions/txRunner.ts';

const rememberedSignatures = 10_000;

/** Cache of valid signatures, because every node verifies a transaction and executing it verifies it again. */
function rememberRight(verify: VerifySignature): VerifySignature {
  const right = new LRUCache<string, true>({ max: rememberedSignatures });
  return (signature, document, key) => {
    const name = `${keyOf(signature)}${keyOf(key)}${keyOf(document)}`;
    if (right.has(name)) return true;
    const verified = verify(signature, document, key);
    if (verified) right.set(name, true);
    return verified;
  };
}

function openContext(router: Router, block: BlockFacts, branch: Branch): Context {
  const gas = createGasMeter(undefined);
  return createContext(block, branch, gas, (context, message) => router.decode(message).run(context));
}

function runPhase(keepers: readonly Keeper[], phase: 'beginBlock' | 'endBlock', context: Context): readonly AbciEvent[] {
  for (const keeper of keepers) keeper[phase]?.(context);
  return tagEvents(context.events, 'mode', phase === 'beginBlock' ? 'BeginBlock' : 'EndBlock');
}

/**
 * Returns the state of a genesis, made once for each chain id, time and set of validators. Applications with the same genesis
 * can share it, which saves most of their start-up time.
 */
export type GenesisStates = (input: Parameters<Application['initChain']>[0], make: () => Snapshot) => Snapshot;

/** Creates the states of one genesis. They keep the last few. */
export function createGenesisStates(): GenesisStates {
  const states = new LRUCache<string, Snapshot>({ max: 4 });
  return ({ chainId, time, validators = [] }, make) => {
    const name = JSON.stringify([chainId, `${time}`, validators.map(({ publicKey, power }) => [keyOf(publicKey), `${power}`])]);
    const state = states.get(name) ?? make();
    states.set(name, state);
    return state;
  };
}

/** Options of {@link createApplication}. */
export interface ApplicationOptions {
  readonly genesis: Genesis;
  /** The states of the genesis. Default: they are not shared. */
  readonly states?: GenesisStates;
  /** Modules besides those of `keepers/index.ts`. Default: none. */
  readonly modules?: readonly Keeper[];
  /** Modules of `keepers/index.ts` that the chain does not have. Those that need them are absent too. Default: none. */
  readonly without?: readonly DevnetModule[];
}

/**
 * Creates the devnet's application: real transactions, versioned state, and the modules of `keepers/index.ts`. Everything is
 * synchronous and in memory. The same genesis and blocks produce the same hashes. `states` are of the same genesis.
 */
export function createApplication(options: ApplicationOptions): Application {
  const { states = createGenesisStates(), modules = [], without = [] } = options;
  const absent = absentModules(without);
  const genesis = genesisWithout(options.genesis, absent);
  const storeNames = chainStores.filter((name) => !absent.has(name));
  const { binary, version } = absent.size === 0 ? release : otherRelease;
  const store = createStore(storeNames);
  // Circular dependency: the group keeper uses the router to find the signers of a proposal's messages, and the router consists
  // of the keepers.
  const keepers: Keeper[] = [
    ...createKeepers({
      group: { maxExecutionPeriod: seconds(genesis.maxExecutionSeconds), decode: (message) => router.decode(message) },
      simulate,
      absent,
    }),
    ...modules,
  ];
  function simulate(tx: Uint8Array): TxResult {
    return runner.simulate(newest, store.branch(), tx);
  }
  const router = createRouter(keepers);
  const runner = createTxRunner(router, rememberRight(verifySecp256k1), absent.has('flatfees') ? 'gas' : 'flat');
  const stores = new Set(storeNames);
  const times = new Map<bigint, bigint>();
  let newest: BlockFacts = { chainId: '', height: 0n, time: 0n, proposer: new Uint8Array(20) };

  const runHistory = (branch: Branch, chainId: string, time: bigint, validators: readonly ChainValidator[]): void => {
    const at = (moment: bigint): Context => openContext(router, { ...newest, chainId, time: moment }, branch);
    for (const { address, coins } of genesis.balances) mintCoins(at(time), decodeAddress(address), coins);
    for (const keeper of keepers) keeper.initGenesis?.(at(time), genesis, validators);
    for (const { secondsBefore, message } of genesis.history) {
      const moment = time - seconds(secondsBefore);
      runPhase(keepers, 'endBlock', at(moment));
      const resolved = typeof message === 'function' ? message(time) : message;
      wrapping(`genesis, ${secondsBefore} seconds before: ${resolved.typeUrl}`, () => at(moment).run(resolved));
    }
    runPhase(keepers, 'endBlock', at(time));
  };

  return {
    info: () => ({ data: binary, version, appVersion: 0n }),

    initChain(input) {
      const { chainId, time, validators = [] } = input;
      const state = states(input, () => {
        const emptyStore = createStore(storeNames);
        const branch = emptyStore.branch();
        runHistory(branch, chainId, time, validators);
        emptyStore.commit(0n, branch);
        return emptyStore.snapshot();
      });
      newest = { ...newest, chainId, time };
      return { appHash: store.restore(0n, state) };
    },

    finalizeBlock({ height, time, txs, proposer }: BlockInput) {
      const block: BlockFacts = { chainId: newest.chainId, height, time, proposer };
      const branch = store.branch();
      const beginEvents = runPhase(keepers, 'beginBlock', openContext(router, block, branch));
      const txResults = txs.map((tx, index) => runner.deliver({ ...block, txIndex: BigInt(index) }, branch, tx));
      const ended = runPhase(keepers, 'endBlock', openContext(router, block, branch));
      const appHash = store.commit(height, branch);
      newest = block;
      times.set(height, time);
      return { txResults, events: [...beginEvents, ...ended], appHash };
    },

    query(input) {
      // A liar with true proofs says the truth wherever a proof can be asked for.
      const lie = input.lie?.proofs === 'true' && input.path.startsWith('/store/') ? undefined : input.lie;
      const stateAt = lie === undefined ? store.at : falseStates(store.at, lie);
      const timeAt = (height: bigint): bigint => times.get(height) ?? newest.time;
      return falseAnswer(input, answerQuery({ router, stores, binary, version, stateAt, simulate, timeAt }, input));
    },

    falseAppHash(height, lie) {
      const state = falseStates(store.at, lie)(height);
      return state && rootOfStores(state.trees);
    },

    createCheckState() {
      let branch = store.branch();
      return {
        checkTx: (tx) => runner.check(newest, branch, tx),
        reset() {
          branch = store.branch();
        },
      };
    },

    prune(height) {
      store.prune(height);
      for (const keptHeight of times.keys()) {
        if (keptHeight >= store.earliestHeight) break;
        times.delete(keptHeight);
      }
    },
  };
}
