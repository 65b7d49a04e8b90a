import type { JsonObject } from '../chain/wire/json.ts';
import type { Application } from './abci/abci.ts';
import { createActors } from './app/actors/actors.ts';
import { createApplication } from './app/application.ts';
import { createGenesis } from './app/genesis/genesis.ts';
import type { Genesis } from './app/runtime/genesisState.ts';
import { createAccounts, type WalletAccount } from './app/runtime/wallet.ts';
import { turnKnobs } from './node/admin.ts';
import { hex } from './node/ledger/encode.ts';
import type { SubscriptionLimits } from './node/ledger/events.ts';
import { createLedger, defaultParams } from './node/ledger/ledger.ts';
import { sha256 } from './node/ledger/merkle.ts';
import { createClock } from './node/ledger/time.ts';
import { createSigner } from './node/ledger/validator.ts';
import { createNode, type DevnetNode, type ManagedNode } from './node/node.ts';
import type { SocketLimits } from './node/socket.ts';
import type { MempoolLimits } from './node/state/mempool.ts';

/** A block that was just made, for those who act on it. */
export interface DevnetBlock {
  readonly height: bigint;
  /** Nanoseconds since 1970. */
  readonly time: bigint;
}

/** Somebody who lives on the chain: after each block, the transactions that they send next, to the first node. */
export type Actor = (block: DevnetBlock) => Iterable<Uint8Array>;

export interface DevnetOptions {
  /** Default the devnet's own, from `genesis`. */
  readonly application?: Application;
  /** What the devnet's own application begins with. Default `createGenesis()`. */
  readonly genesis?: Genesis;
  /** Default `stele-devnet`. */
  readonly chainId?: string;
  /** Who lives on the chain: the devnet's own actors with true. Default nobody. */
  readonly actors?: boolean | Actor;
  /** Milliseconds between blocks, or `manual`: blocks only by `commit()`. Default 1,000. */
  readonly blockTime?: number | 'manual';
  /** How many nodes. Default 1. */
  readonly nodes?: number;
  /** Of the first node, the others follow it; 0, the default, takes free ones. */
  readonly port?: number;
  /** Default 127.0.0.1. */
  readonly host?: string;
  /** How many states each node keeps; 0 keeps all. Default 5,000, so that a chain that runs for days does not fill the memory. */
  readonly keepHeights?: number;
  /** How many blocks the chain keeps; 0 keeps all. Default 20,000. */
  readonly keepBlocks?: number;
  /** What the validator's key follows from. */
  readonly seed?: string;
  /**
   * Nanoseconds since 1970; default now. With it, and `manual` blocks, each block is one second after the last: such a chain is the
   * same every time. Without it block times are the machine's.
   */
  readonly genesisTime?: bigint;
  /** Whether every node serves the JSON-RPC method `devnet`, which turns the knobs from outside. Default no. */
  readonly admin?: boolean;
  /** Milliseconds that `broadcast_tx_commit` waits. Default 10,000. */
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
  /** The ten accounts of the development mnemonic, which the devnet's own genesis funds. */
  readonly accounts: readonly WalletAccount[];
  /** The chain's newest block: no node is above it. */
  readonly height: bigint;
  /** Whether no block is made but by `commit`. */
  readonly halted: boolean;
  /** Makes no further block, but for those of `commit`. */
  halt(): void;
  /** Makes blocks again, at the block time; with `manual` blocks nothing. */
  resume(): void;
  /**
   * Makes one block of what the mempools hold now; its height. With `elapse` its time is so many milliseconds after the last
   * block's. When it resolves, every node that does not lag has it, and its subscribers were told.
   */
  commit(options?: { readonly elapse?: number }): Promise<bigint>;
  close(): Promise<void>;
}

/** What the genesis document shows of the application's: the balances. */
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

/** Starts a chain. When it resolves, block 1 stands and every node listens. */
export async function createDevnet(options: DevnetOptions): Promise<Devnet> {
  const { chainId = 'stele-devnet', blockTime = 1000, host = '127.0.0.1', port = 0 } = options;
  const genesis = options.application === undefined ? (options.genesis ?? createGenesis()) : undefined;
  const application = options.application ?? createApplication({ genesis: genesis ?? createGenesis() });
  const clock = createClock();
  const genesisTime = options.genesisTime ?? clock();
  const stepped = blockTime === 'manual' && options.genesisTime !== undefined;
  const signer = createSigner(options.seed ?? chainId);
  const ledger = createLedger({ chainId, genesisTime, application, signer, params: defaultParams });
  const keepHeights = BigInt(options.keepHeights ?? 5_000);
  const keepBlocks = BigInt(options.keepBlocks ?? 20_000);
  const actors = options.actors === true ? createActors({ query: application.query, chainId }) : options.actors || undefined;
  let accounts: readonly WalletAccount[] | undefined;
  let lastTime = genesisTime;
  const managed: ManagedNode[] = [];
  const nodes: DevnetNode[] = [];

  /** The transactions that any node's mempool holds, each once. */
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
      await Promise.all(nodes.map((node) => node.stop()));
    },
  };

  // Before any port listens: whoever gets an answer finds a block.
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
      admin: options.admin ? (params) => turnKnobs(devnet, index, params) : undefined,
      commitTimeout: options.commitTimeout ?? 10_000,
      mempoolLimits: options.mempoolLimits,
      subscriptionLimits: options.subscriptionLimits,
      socketLimits: options.socketLimits,
      // Neighbours hear at once.
      gossip(tx) {
        for (const other of managed) if (other.node !== node.node) other.hear(tx);
      },
    });
    managed.push(node);
    nodes.push(node.node);
  }

  resume();
  return devnet;
}
