import type { JsonObject } from '../../../src/chain/wire/json.ts';
import { sha256 } from '../../../src/chain/wire/merkle.ts';
import type { DevnetModule } from '../../../src/config/devnetModules.ts';
import type { Application } from './abci/abci.ts';
import { createActors } from './app/actors/actors.ts';
import { createApplication } from './app/application.ts';
import { createGenesis } from './app/genesis/genesis.ts';
import { absentModules, genesisWithout } from './app/runtime/absentModules.ts';
import type { Genesis } from './app/runtime/genesisState.ts';
import { createAccounts, type WalletAccount } from './app/runtime/wallet.ts';
import { runAdminMethod } from './node/admin.ts';
import { hex } from './node/ledger/encode.ts';
import type { SubscriptionLimits } from './node/ledger/events.ts';
import { createLedger, defaultParams } from './node/ledger/ledger.ts';
import { createClock } from './node/ledger/time.ts';
import { type CosignerOptions, createSigner } from './node/ledger/validator.ts';
import { createNode, type DevnetNode, type ManagedNode } from './node/node.ts';
import type { SocketLimits } from './node/socket.ts';
import type { MempoolLimits } from './node/state/mempool.ts';

/** A block that was just committed. */
export interface DevnetBlock {
  readonly height: bigint;
  /** Nanoseconds since 1970. */
  readonly time: bigint;
}

/** Returns the transactions to submit to the first node after a block. */
export type Actor = (block: DevnetBlock) => Iterable<Uint8Array>;

export interface DevnetOptions {
  /** Default: the devnet's application, with `genesis`. */
  readonly application?: Application;
  /** Genesis of the devnet's application. Default `createGenesis()`. */
  readonly genesis?: Genesis;
  /**
   * Modules that the chain does not have: neither their queries and messages nor their descriptors and stores. Those that need them are absent too. Default: none. A given
   * `application` must have been created without them.
   */
  readonly without?: readonly DevnetModule[];
  /** Default `stele-devnet`. */
  readonly chainId?: string;
  /** Submits transactions after each block. true: the devnet's actors. Default: none. */
  readonly actors?: boolean | Actor;
  /** Milliseconds between blocks. `manual`: only `commit()` creates blocks. Default 1,000. */
  readonly blockTime?: number | 'manual';
  /** Number of nodes. Default 1. */
  readonly nodes?: number;
  /** Port of the first node; the others use the next ports. Default 0: free ports. */
  readonly port?: number;
  /** Default 127.0.0.1. */
  readonly host?: string;
  /**
   * Number of states that each node keeps. 0 keeps all. Default 5,000, so that a chain that runs for days does not exhaust
   * memory.
   */
  readonly keepHeights?: number;
  /** Number of blocks that the chain keeps. 0 keeps all. Default 20,000. */
  readonly keepBlocks?: number;
  /** Random seed of the validator's key. Default: the chain id. */
  readonly seed?: string;
  /**
   * The validators besides the first one at a height, with their powers and votes, for blocks whose validator set changes. More than two thirds of the power must
   * vote for each block. They are not in the staking module. Default: none.
   */
  readonly cosigners?: (height: bigint) => readonly CosignerOptions[];
  /**
   * Nanoseconds since 1970. Default: now. With this option and `manual` blocks, each block is one second after the previous
   * one, and the chain is reproducible. Otherwise, block times are from the system clock.
   */
  readonly genesisTime?: bigint;
  /** Whether every node serves the JSON-RPC method `devnet`, which injects faults and controls blocks. Default false. */
  readonly admin?: boolean;
  /** Timeout of `broadcast_tx_commit` in milliseconds. Default 10,000. */
  readonly commitTimeout?: number;
  readonly mempoolLimits?: MempoolLimits;
  readonly subscriptionLimits?: SubscriptionLimits;
  readonly socketLimits?: SocketLimits;
}

/** A running chain. */
export interface Devnet {
  readonly chainId: string;
  readonly nodes: readonly DevnetNode[];
  readonly application: Application;
  /** The ten accounts of the development mnemonic, which the devnet's genesis funds. */
  readonly accounts: readonly WalletAccount[];
  /** Height of the chain's newest block. Nodes can lag behind it. */
  readonly height: bigint;
  /** Whether only `commit` creates blocks. */
  readonly halted: boolean;
  /** Stops creating blocks, except by `commit`. */
  halt(): void;
  /** Creates blocks at the block time again. Has no effect with `manual` blocks. */
  resume(): void;
  /**
   * Creates a block from the transactions in the mempools, and returns its height. With `elapse`, its time is that many
   * milliseconds after the previous block. When it resolves, every node that does not lag has the block and has sent its
   * events.
   */
  commit(options?: { readonly elapse?: number }): Promise<bigint>;
  close(): Promise<void>;
}

/** The application state in the genesis document: the balances. */
function encodeAppState({ balances }: Genesis): JsonObject {
  return {
    bank: {
      balances: balances.map(({ address, coins }) => ({
        address,
        coins: coins.map(({ denom, amount }) => ({ denom, amount: String(amount) })),
      })),
    },
  };
}

/** Starts a chain. When it resolves, block 1 exists and every node listens. */
export async function createDevnet(options: DevnetOptions): Promise<Devnet> {
  const { chainId = 'stele-devnet', blockTime = 1000, host = '127.0.0.1', port = 0 } = options;
  const { without = [] } = options;
  const absent = absentModules(without);
  const genesis = options.application === undefined ? genesisWithout(options.genesis ?? createGenesis(), absent) : undefined;
  const application = options.application ?? createApplication({ genesis: genesis ?? createGenesis(), without });
  const clock = createClock();
  const genesisTime = options.genesisTime ?? clock();
  const stepped = blockTime === 'manual' && options.genesisTime !== undefined;
  const signer = createSigner(options.seed ?? chainId);
  const ledger = createLedger({
    chainId,
    genesisTime,
    application,
    signer,
    cosigners: options.cosigners,
    params: defaultParams,
  });
  const keepHeights = BigInt(options.keepHeights ?? 5_000);
  const keepBlocks = BigInt(options.keepBlocks ?? 20_000);
  const actors =
    options.actors === true ? createActors({ query: application.query, chainId, absent }) : options.actors || undefined;
  let accounts: readonly WalletAccount[] | undefined;
  let lastTime = genesisTime;
  const managed: ManagedNode[] = [];
  const nodes: DevnetNode[] = [];

  /** Returns the distinct transactions in the mempools of all nodes. */
  function reap(): Uint8Array[] {
    const { maxBytes, maxGas } = ledger.params;
    const all = managed.flatMap(({ node }) => node.mempool.reap(maxBytes, maxGas));
    return [...new Map(all.map((tx) => [hex(sha256(tx)), tx])).values()];
  }

  function commit(elapse?: number): bigint {
    const after = elapse ?? (stepped ? 1000 : undefined);
    const ownTime = after === undefined ? undefined : lastTime + BigInt(Math.round(after * 1e6));
    const { block } = ledger.produce({
      txs: reap(),
      time: ownTime ?? clock(),
      ...(ownTime !== undefined && ledger.height > 0n && { ownTime }),
    });
    const { height, time } = block.header;
    lastTime = time;
    for (const { advance } of managed) advance();
    if (keepHeights > 0n) {
      let needed = height;
      for (const { earliestState } of managed) if (earliestState < needed) needed = earliestState;
      application.prune(needed);
    }
    if (keepBlocks > 0n) ledger.prune(height - keepBlocks + 1n);
    const [first] = managed;
    if (actors !== undefined && first !== undefined) for (const tx of actors({ height, time })) first.submit(tx);
    return height;
  }

  let timer: NodeJS.Timeout | undefined;

  function halt(): void {
    clearTimeout(timer);
    timer = undefined;
  }

  function resume(): void {
    if (blockTime === 'manual' || timer !== undefined) return;
    // Each block is due at a multiple of the block time, so that a late one does not delay the rest.
    let due = performance.now() + blockTime;
    const tick = () => {
      commit();
      const now = performance.now();
      due = Math.max(due + blockTime, now);
      timer = setTimeout(tick, due - now);
    };
    timer = setTimeout(tick, blockTime);
  }

  const devnet: Devnet = {
    chainId,
    nodes,
    application,
    get accounts() {
      accounts ??= createAccounts();
      return accounts;
    },
    get height() {
      return ledger.height;
    },
    get halted() {
      return timer === undefined;
    },
    halt,
    resume,
    async commit({ elapse } = {}) {
      return commit(elapse);
    },
    async close() {
      halt();
      await Promise.all(managed.map((node) => node.close()));
    },
  };

  // The first block precedes the first response of any node.
  commit();
  for (let index = 0; index < (options.nodes ?? 1); index++) {
    const node = await createNode({
      ledger,
      application,
      moniker: `node${index}`,
      host,
      port: port === 0 ? 0 : port + index,
      appState: genesis === undefined ? {} : encodeAppState(genesis),
      keepHeights,
      admin: options.admin ? (params) => runAdminMethod(devnet, index, params) : undefined,
      commitTimeout: options.commitTimeout ?? 10_000,
      mempoolLimits: options.mempoolLimits,
      subscriptionLimits: options.subscriptionLimits,
      socketLimits: options.socketLimits,
      // Gossip reaches the other nodes immediately.
      gossip(tx) {
        for (const other of managed) if (other.node !== node.node) other.receive(tx);
      },
    });
    managed.push(node);
    nodes.push(node.node);
  }

  resume();
  return devnet;
}
