import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { JsonObject, JsonValue } from '../../../../src/chain/wire/json.ts';
import { sha256 } from '../../../../src/chain/wire/merkle.ts';
import type { Application } from '../abci/abci.ts';
import { createAppLock } from './appLock.ts';
import type { Dispatch } from './dispatch.ts';
import { type Counters, createCounters } from './faults/counters.ts';
import { createFalseBlocks } from './faults/falseBlocks.ts';
import { createFalseHeaders } from './faults/falseHeaders.ts';
import { createFaults, type Faults, type NodeCall } from './faults/faults.ts';
import { type HeldPort, holdPort } from './heldPort.ts';
import { createHttpListener } from './http.ts';
import { eventsOfBlock } from './ledger/blockEvents.ts';
import { createEventBus, type EventBus, type SubscriptionLimits } from './ledger/events.ts';
import type { Ledger } from './ledger/ledger.ts';
import { createRestListener } from './rest.ts';
import { createSocketServer, type SocketLimits } from './socket.ts';
import { createMempool, type Mempool, MempoolError, type MempoolLimits } from './state/mempool.ts';
import type { NodeView } from './state/view.ts';

/** A node of the devnet, with its own port, mempool, height and faults. */
export interface DevnetNode {
  readonly moniker: string;
  /** `http://host:port`. It does not change after `stop` and `start`. */
  readonly url: string;
  /** Height of its newest block. */
  readonly height: bigint;
  readonly mempool: Mempool;
  readonly counters: Counters;
  readonly faults: Faults;
  /** Called and awaited before each call is executed, to count calls, to delay them, or to commit a block in between. */
  onCall: ((call: NodeCall) => void | Promise<void>) | undefined;
  /** Whether a simulation that never ends holds the application: the node makes no blocks and answers no query. */
  readonly isHeld: boolean;
  /** Serves the part of the REST API that simulates, and returns its URL. It does not hold the application. */
  serveRest(): Promise<string>;
  /** Number of open WebSockets. */
  readonly sockets: number;
  /** Keeps the node this many blocks behind the chain. With 0, it catches up immediately. */
  lag(blocks: number): void;
  /** Stops accepting blocks. */
  freeze(): void;
  /** Accepts blocks again, and catches up without lag. */
  thaw(): void;
  /** Deletes the states below this height, and with `blocks` also the blocks. */
  prune(height: bigint, options?: { readonly blocks?: boolean }): void;
  /** Disconnects every WebSocket without a close frame. */
  closeSockets(): void;
  /** Clears all faults, including lag. New calls no longer wait for the gate. */
  heal(): void;
  /**
   * Stops listening, and holds the port, so that no other program gets it. Subscriptions are cancelled with the reason that the node exited, and the
   * mempool is emptied.
   */
  stop(): Promise<void>;
  /** Listens again on the same port, and catches up. */
  start(): Promise<void>;
}

/** The operations on a node that only the devnet uses. */
export interface ManagedNode {
  readonly node: DevnetNode;
  /** The oldest height with a kept state. */
  readonly earliestState: bigint;
  /** Processes new blocks. */
  advance(): void;
  /** Adds a transaction from another node to the mempool if it is valid. Does not gossip it. */
  receive(tx: Uint8Array): void;
  /** Adds a transaction to the mempool if it is valid, and gossips it. */
  submit(tx: Uint8Array): void;
  /** Stops the node, and gives its port up. */
  close(): Promise<void>;
}

export interface NodeOptions {
  readonly ledger: Ledger;
  readonly application: Application;
  readonly moniker: string;
  readonly host: string;
  /** 0 selects a free port. */
  readonly port: number;
  readonly appState: JsonObject;
  /** Number of kept states. 0 keeps all. */
  readonly keepHeights: bigint;
  readonly commitTimeout: number;
  readonly mempoolLimits?: MempoolLimits | undefined;
  readonly subscriptionLimits?: SubscriptionLimits | undefined;
  readonly socketLimits?: SocketLimits | undefined;
  /** Executes the admin method. Absent if it is not served. */
  readonly admin?: ((params: JsonValue | undefined) => Promise<JsonObject>) | undefined;
  /** Sends a transaction to the other nodes. */
  readonly gossip: (tx: Uint8Array) => void;
}

/** CometBFT's idle timeout of a connection: its read timeout of 10 s. */
const keepAlive = 10_000;

/** Creates a node and starts it. */
export async function createNode(options: NodeOptions): Promise<ManagedNode> {
  const { ledger, application, moniker, host, keepHeights } = options;
  const faults = createFaults();
  const checkState = application.createCheckState();
  const mempool = createMempool(checkState, options.mempoolLimits);
  const bus: EventBus = createEventBus(options.subscriptionLimits);
  const nodeId = Buffer.from(sha256(Buffer.from(`devnet node ${ledger.chainId} ${moniker}`)).subarray(0, 20)).toString('hex');

  let port = options.port;
  let height = ledger.height;
  let lag = 0n;
  let frozen = false;
  let running = false;
  /** The port while the node is stopped. */
  let heldPort: HeldPort | undefined;
  let rest: Server | undefined;
  let prunedStates = 1n;
  let prunedBlocks = 1n;

  const { counters, nextBatch, note } = createCounters();

  const atLeast = (a: bigint, b: bigint) => (a > b ? a : b);
  const falseBlocks = createFalseBlocks(ledger);
  const falseHeaders = createFalseHeaders(falseBlocks.ledger, application, () => faults.lie);
  const view: NodeView = {
    ledger: falseHeaders.ledger,
    application,
    mempool,
    checkState,
    bus,
    moniker,
    nodeId,
    appState: options.appState,
    commitTimeout: options.commitTimeout,
    get chainId() {
      return faults.chainId ?? ledger.chainId;
    },
    get rpcAddress() {
      return `tcp://${host}:${port}`;
    },
    get height() {
      return height;
    },
    get base() {
      return atLeast(ledger.base, prunedBlocks);
    },
    get lie() {
      return faults.lie;
    },
    get earliestState() {
      return atLeast(prunedStates, keepHeights > 0n ? height - keepHeights + 1n : 1n);
    },
    get catchingUp() {
      return faults.catchingUp;
    },
    get indexing() {
      return !faults.noIndex;
    },
    broadcast(tx) {
      // A call that began before the node stopped.
      if (!running) throw new MempoolError('mempool is closed');
      const keeps = !faults.dropTransactions && !faults.pretendCommits;
      const result = mempool.check(tx, keeps);
      if (result.code !== 0) return result;
      if (faults.pretendCommits) falseBlocks.add(tx);
      if (keeps && !faults.withholdTransactions) options.gossip(tx);
      return result;
    },
  };

  const node: DevnetNode = {
    moniker,
    get url() {
      return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
    },
    get height() {
      return height;
    },
    mempool,
    counters,
    faults,
    onCall: undefined,
    get isHeld() {
      return lock.isHeld;
    },
    async serveRest() {
      rest ??= createServer(createRestListener(view, note));
      if (!rest.listening) await once(rest.listen(0, host), 'listening');
      const address = rest.address();
      return `http://${host}:${typeof address === 'object' && address !== null ? address.port : 0}`;
    },
    get sockets() {
      return sockets.connections;
    },
    lag(blocks) {
      lag = BigInt(blocks);
      advance();
    },
    freeze() {
      frozen = true;
    },
    thaw() {
      frozen = false;
      lag = 0n;
      advance();
    },
    prune(below, { blocks = false } = {}) {
      prunedStates = atLeast(prunedStates, below);
      if (blocks) prunedBlocks = atLeast(prunedBlocks, below);
    },
    closeSockets: () => sockets.close(),
    heal() {
      Object.assign(faults, createFaults());
      node.onCall = undefined;
      lock.release();
      node.thaw();
    },
    async stop() {
      if (!running) return;
      const closed = shut();
      // If another program has the port already, the start fails.
      heldPort = await holdPort(host, port).catch(() => undefined);
      await closed;
    },
    async start() {
      if (running) return;
      server.listen(port, host);
      await once(server, 'listening');
      heldPort?.release();
      heldPort = undefined;
      const address = server.address();
      if (typeof address === 'object' && address !== null) port = address.port;
      running = true;
      advance();
    },
  };

  const lock = createAppLock({ everySimulation: () => faults.endlessSimulations, onHold: () => node.freeze() });
  const dispatch: Dispatch = {
    view,
    faults,
    lock,
    admin: options.admin,
    nextBatch,
    async received(call) {
      note(call);
      await node.onCall?.(call);
      if (faults.gate !== undefined) await faults.gate;
      const { delay } = faults;
      if (delay > 0) await new Promise((resolve) => setTimeout(resolve, delay));
    },
  };

  const sockets = createSocketServer(dispatch, options.socketLimits);
  const server: Server = createServer({ keepAliveTimeout: keepAlive }, createHttpListener(dispatch));
  server.on('upgrade', (request, socket, head) => sockets.upgrade(request, socket, head));

  /** Stops listening, and cancels what runs. */
  async function shut(): Promise<void> {
    running = false;
    sockets.close('CometBFT exited');
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
    mempool.flush();
    checkState.reset();
  }

  /** Processes the blocks up to the node's lag, in order, and sends their events. */
  function advance(): void {
    if (!running || frozen) return;
    while (height < ledger.height - lag) {
      height++;
      const block = ledger.block(height);
      const shownBlock = falseBlocks.show(height);
      if (block === undefined || shownBlock === undefined) continue;
      const headedBlock = falseHeaders.show(shownBlock);
      mempool.update(block);
      if (!bus.busy) continue;
      const sentBlock = faults.forgeBlock?.(headedBlock) ?? headedBlock;
      for (const event of eventsOfBlock(sentBlock, falseHeaders.ledger)) bus.publish(event);
    }
  }

  /** Adds to the mempool. Ignores duplicates and a full mempool. */
  function offer(work: () => void): void {
    try {
      if (running) work();
    } catch (error) {
      if (!(error instanceof MempoolError)) throw error;
    }
  }

  await node.start();
  return {
    node,
    get earliestState() {
      return view.earliestState;
    },
    advance,
    receive(tx) {
      offer(() => {
        if (!faults.dropTransactions && !faults.pretendCommits) mempool.check(tx);
      });
    },
    submit(tx) {
      offer(() => view.broadcast(tx));
    },
    async close() {
      if (running) await shut();
      rest?.close();
      rest?.closeAllConnections();
      heldPort?.release();
      heldPort = undefined;
    },
  };
}
