import cluster, { type Worker } from 'node:cluster';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Archive, archiveOf } from '../archive/setup/archive.ts';
import { pause } from '../chain/base/time.ts';
import type { Head } from '../chain/blocks/head.ts';
import type { Client } from '../chain/client.ts';
import { createInFlight } from '../chain/memory/inFlight.ts';
import { type Proofs, Unproven } from '../chain/proofs/proofs.ts';
import { decodeAbciReply } from '../chain/rpc/rpcErrors.ts';
import { type Span, setScope, spanOf, type TraceHeaders, type Tracer } from '../chain/tracing/tracer.ts';
import { decodeBlock, newBlockQuery } from '../chain/wire/block.ts';
import type { JsonValue } from '../chain/wire/json.ts';
import { type Config, ConfigError } from '../config/settings/config.ts';
import { version } from '../config/version.ts';
import { createHealth, startAdmin } from '../server/observability/health.ts';
import { createLocalStore, type LocalStore } from '../shared/localStore.ts';
import type { SharedStore } from '../shared/sharedStore.ts';
import { addPrimaryMetrics, createMetrics } from '../surfaces/metrics/metrics.ts';
import { openFaults } from './server.ts';
import {
  type Opened,
  openClient,
  openProcessWithNodes,
  printStart,
  startArchive,
  stopOnSignal,
  watchNodes,
} from './starting.ts';
import {
  type Ask,
  createOutbox,
  memoryOf,
  type Operations,
  packError,
  type ToPrimary,
  type ToWorker,
} from './workerMessages.ts';

/** Methods whose calls change nothing, so that equal calls of several workers are joined. */
const joinedMethods: readonly string[] = [
  'abci_query',
  'abci_info',
  'block',
  'block_results',
  'validators',
  'status',
  'commit',
];

/**
 * Answers what a worker asks. `update` sends a value before the result. The signal names the span that the question belongs to. All workers have the
 * same `call`.
 */
async function answer(
  { name, args }: Ask,
  { client, store, call }: { client: Client; store: SharedStore; call: ReturnType<typeof createCalls> },
  signal: AbortSignal,
  update: (value: unknown) => void,
): Promise<unknown> {
  const { broadcaster } = client;
  switch (name) {
    case 'call':
      return call(args, signal);
    case 'subscribe':
      return subscribe(client, args.query, signal, update);
    case 'provenAt': {
      const { chainId, time, prefix } = await proofsOf(client).at(args.height, signal);
      return { chainId, time, prefix };
    }
    case 'provenRead': {
      const state = await proofsOf(client).at(args.height, signal);
      const { read } = args;
      return 'key' in read ? state.get(read.store, read.key) : [...(await state.range(read.store, read.prefix, read.bounds))];
    }
    case 'proofOf':
      return proofsOf(client).proofOf(args.height, args.reads, signal);
    case 'rootsOf':
      return proofsOf(client).rootsOf(args.height, args.stores, signal);
    case 'broadcast': {
      const { method, tx, joinsDuplicate } = args;
      return method === 'commit' ? broadcaster.commit(tx, { signal, joinsDuplicate }) : broadcaster[method](tx, { signal });
    }
    case 'submit': {
      const updates = broadcaster.submit(args.tx, { signal });
      signal.addEventListener('abort', () => void updates.return?.(), { once: true });
      for await (const step of updates) update(step);
      return undefined;
    }
    case 'keepRehearsal':
      return archiveOf(client.archive())?.addRehearsal(args.rehearsal);
    case 'keepRoots':
      return archiveOf(client.archive())?.addRoots(args.runs);
    case 'change':
      return archiveOf(client.archive())?.change(args.statements);
    case 'check':
      return broadcaster.check(args.tx, { signal });
    case 'evidence':
      return broadcaster.evidence(args.evidence, { signal });
    case 'find':
      return store.find(args.group, args.keys, args.claim);
    case 'get':
      return store.get(args.group, args.key);
    case 'put':
      return store.put(args.group, args.key, args.value, args.ttl, args.claim);
    case 'release':
      return store.release(args.group, args.key);
    case 'count':
      return store.count(args);
  }
}

function proofsOf({ proofs }: Client): Proofs {
  if (proofs === undefined) throw new Unproven('UNVERIFIED', 'The blocks are not verified.');
  return proofs;
}

/** Subscribes at a node. The first update says that the node has accepted it. */
function subscribe(client: Client, query: string, signal: AbortSignal, update: (value: unknown) => void): Promise<undefined> {
  return new Promise((resolve, reject) => {
    const subscription = client.subscribe(query, {
      open: () => update({}),
      event: update,
      end: (error) => (error === undefined ? resolve(undefined) : reject(error)),
    });
    signal.addEventListener('abort', () => subscription.close(), { once: true });
  });
}

export function createCalls(client: Client) {
  const inFlight = createInFlight<JsonValue>();

  async function run(
    { method, params, height, node, maySimulate, quorum }: Operations['call']['args'],
    signal: AbortSignal,
  ): Promise<JsonValue> {
    /** The results that the worker cannot decode, by the error of that. */
    const undecodable = new Map<unknown, JsonValue>();
    const decode = (result: JsonValue): JsonValue => {
      try {
        // Throws if the worker could not decode the result, so that another node is tried.
        if (method === 'abci_query' && height !== undefined) decodeAbciReply(result, height);
        if (method === 'block') decodeBlock(result);
        return result;
      } catch (error) {
        undecodable.set(error, result);
        throw error;
      }
    };
    const handle = node === undefined ? undefined : client.node(node);
    // The worker has recorded the call as a read. Its batch and its request to a node are below that.
    const options = { signal, span: spanOf(signal), maySimulate, quorum, decode };
    try {
      if (handle !== undefined) return await handle.call(method, params, options);
      return await client.call(method, params, { ...options, height });
    } catch (error) {
      // The worker decodes it and gets the same error, with all of its facts.
      const result = signal.aborted ? undefined : undecodable.get(error);
      if (result !== undefined) return result;
      throw error;
    }
  }

  return (args: Parameters<typeof run>[0], signal: AbortSignal): Promise<JsonValue> => {
    const { method, params, height, node, maySimulate, quorum } = args;
    if (!joinedMethods.includes(method)) return run(args, signal);
    const key = JSON.stringify([
      method,
      params,
      height?.toString(),
      node,
      maySimulate ?? String(maySimulate === null),
      quorum ?? 1,
    ]);
    return inFlight.join(key, signal, (shared) => run(args, shared));
  };
}

/**
 * Sends what the head of the primary learns to the workers, so that all follow one head. `send` sends a message to all workers. A block is sent with its event. One that the primary has read from `status` is sent
 * without, because its event may never come, for example if the block was made while the subscription was reopened.
 */
export function createHeadRelay(head: Head, send: (message: ToWorker) => void) {
  let { isSubscribed } = head.stats();

  /** Sends whether the primary is subscribed, if that has changed. Also done at each block. */
  function checkSubscription(): void {
    const now = head.stats().isSubscribed;
    if (now !== isSubscribed) send({ kind: 'head', isSubscribed: now });
    isSubscribed = now;
  }

  const stopContent = head.onContent(({ block }) => {
    if (block === undefined) return;
    checkSubscription();
    const data = { type: 'tendermint/event/NewBlock', value: block };
    send({ kind: 'block', event: { query: newBlockQuery, data, events: {} } });
  });
  const stopBlocks = head.onBlock((newest) => {
    checkSubscription();
    if (newest.block === undefined) send({ kind: 'newest', newest });
  });
  const stopRewinds = head.onRewind((rewind) => send({ kind: 'rewind', rewind }));

  return {
    /** What a worker that starts must know: whether the primary is subscribed. */
    state: (): ToWorker => ({ kind: 'head', isSubscribed }),
    checkSubscription,
    stop(): void {
      stopContent();
      stopBlocks();
      stopRewinds();
    },
  };
}

/**
 * Creates the spans of workers. Work that belongs to the same span of a worker gets the same span here, so that calls of one operation that are
 * sent together have one batch. The result makes work with a signal belong to the span of a worker. Call what it returns when the work has ended.
 */
function createWorkerSpans(tracer: Tracer): (trace: TraceHeaders | undefined, signal: AbortSignal) => () => void {
  const spans = new Map<string, { readonly span: Span; works: number }>();
  return (trace, signal) => {
    const nothing = (): void => undefined;
    if (trace?.traceparent === undefined) return nothing;
    const key = trace.traceparent;
    const span = spans.get(key)?.span ?? tracer.continued(trace);
    if (span === undefined) return nothing;
    const ofWorker = spans.get(key) ?? { span, works: 0 };
    spans.set(key, ofWorker);
    ofWorker.works += 1;
    setScope(signal, span);
    return () => {
      ofWorker.works -= 1;
      if (ofWorker.works === 0) spans.delete(key);
    };
  };
}

/** A worker cannot start. `reasons` are the lines to print. */
class WorkerStartError extends Error {
  override readonly name = 'WorkerStartError';
  readonly reasons: readonly string[];

  constructor(reasons: readonly string[]) {
    super(reasons.join('\n'));
    this.reasons = reasons;
  }
}

/** How often the state of the nodes and of the archive is sent, in ms. */
const stateInterval = 500;

/** The pause before a worker that ended soon after its start is started again, in ms, and what "soon" is. */
const restartPause = 1_000;
const soon = 5_000;

/** How long a worker may take to return its metrics, in ms. */
const metricsWait = 5_000;

type Listening = Extract<ToPrimary, { kind: 'listening' }>;

interface Running {
  readonly worker: Worker;
  readonly send: (message: ToWorker) => void;
  readonly name: string;
  readonly startedAt: number;
  readonly asked: Map<number, AbortController>;
  readonly metrics: Map<number, (values: readonly object[]) => void>;
  isLoaded: boolean;
  url: string | undefined;
  failed: readonly string[];
}

/** Starts the workers: processes that run the same program with the same flags. One that ends is started again. */
function startWorkers(options: {
  readonly count: number;
  readonly client: Client;
  readonly archive: Archive | undefined;
  readonly store: LocalStore;
  /** Encrypts the signing keys that they share. */
  readonly secret: string;
  /** The directory of the temporary archive. undefined if it has another place. */
  readonly archiveDirectory: string | undefined;
  /** Records what the primary does for a worker below the span of the worker. */
  readonly tracer: Tracer;
  /** Called when a worker has ended and is started again. */
  readonly onRestart: (line: { readonly pid: number | undefined; readonly reason: string }) => void;
}) {
  const { count, client, archive, store, secret, archiveDirectory, tracer, onRestart } = options;
  const { argv } = process;
  const { verification } = client;
  cluster.setupPrimary({ ...(argv[1] !== undefined && { exec: argv[1] }), args: argv.slice(2), serialization: 'advanced' });
  const all = new Set<Running>();
  const calls = createCalls(client);
  const enterSpan = createWorkerSpans(tracer);
  let settle: { readonly resolve: (to: Listening) => void; readonly reject: (error: Error) => void } | undefined;
  const listening = new Promise<Listening>((resolve, reject) => {
    settle = { resolve, reject };
  });
  let restarts = 0;
  let started = 0;
  let requests = 0;
  let isStopping = false;

  function sendAll(message: ToWorker): void {
    for (const running of all) if (running.isLoaded) running.send(message);
  }

  function sendArchive(to: (message: ToWorker) => void): void {
    const chainId = client.head.current()?.chainId;
    if (archive === undefined || chainId === undefined) return;
    const { recording } = archive;
    const state = {
      chainId,
      ...archive.reader.coverage(),
      status: recording.status(),
      backfill: recording.backfill(),
      lag: recording.lag(),
    };
    to({ kind: 'archive', state });
  }

  /** With a head that is behind the chain, a worker cannot take the newest block of a status. */
  function sendNewest(to: (message: ToWorker) => void): void {
    const newest = client.head.current();
    if (newest !== undefined && client.levels() !== undefined) to({ kind: 'newest', newest: { ...newest, block: undefined } });
  }

  function handle(running: Running, message: ToPrimary): void {
    switch (message.kind) {
      case 'loaded':
        running.isLoaded = true;
        running.send({ kind: 'start', secret, archiveDirectory });
        running.send({ kind: 'nodes', nodes: client.nodes() });
        running.send(relay.state());
        if (verification !== undefined) running.send({ kind: 'verification', status: verification.status() });
        sendNewest(running.send);
        sendArchive(running.send);
        break;
      case 'listening':
        running.url = message.url;
        if ([...all].every((other) => other.url !== undefined)) settle?.resolve(message);
        break;
      case 'failed':
        settle?.reject(new WorkerStartError(message.reasons));
        break;
      case 'ready':
        running.failed = message.failed;
        break;
      case 'abort':
        running.asked.get(message.id)?.abort();
        break;
      case 'metrics':
        running.metrics.get(message.id)?.(message.values);
        break;
      case 'ask': {
        const { id, trace } = message;
        const controller = new AbortController();
        running.asked.set(id, controller);
        const leave = enterSpan(trace, controller.signal);
        const update = (value: unknown): void => Reflect.apply(running.send, undefined, [{ kind: 'update', id, value }]);
        answer(message.operation, { client, store: store.of(running.name), call: calls }, controller.signal, update)
          .then(
            (value) => Reflect.apply(running.send, undefined, [{ kind: 'result', id, value }]),
            (error: unknown) => running.send({ kind: 'error', id, error: packError(error) }),
          )
          .finally(() => {
            running.asked.delete(id);
            leave();
          });
      }
    }
  }

  function start(): void {
    started += 1;
    const worker = cluster.fork();
    const running: Running = {
      worker,
      send: createOutbox((messages) => {
        if (worker.isConnected()) worker.send(messages, () => undefined);
      }),
      name: `${started}`,
      startedAt: performance.now(),
      asked: new Map(),
      metrics: new Map(),
      isLoaded: false,
      url: undefined,
      failed: ['STARTING'],
    };
    all.add(running);
    worker.on('message', (messages: readonly ToPrimary[]) => {
      for (const message of messages) handle(running, message);
    });
    // A message to a worker that has ended.
    worker.on('error', () => undefined);
    worker.on('exit', (code, signal) => {
      all.delete(running);
      store.forget(running.name);
      for (const controller of running.asked.values()) controller.abort();
      if (isStopping) return;
      restarts += 1;
      onRestart({ pid: worker.process.pid, reason: signal ?? `exit status ${code}` });
      const again = (): void => {
        if (!isStopping) start();
      };
      if (performance.now() - running.startedAt > soon) again();
      else setTimeout(again, restartPause);
    });
  }

  const relay = createHeadRelay(client.head, sendAll);
  const stopVerified = verification?.onVerified(() => sendAll({ kind: 'verification', status: verification.status() }));
  const stopConflicts = verification?.onConflict((conflict) =>
    sendAll({ kind: 'verification', status: verification.status(), conflict }),
  );
  const stopCoverage = archive?.onCoverage(() => sendArchive(sendAll));
  let state = verification?.status().state;
  /** Sends a state that no block has changed. */
  function sendVerification(): void {
    const status = verification?.status();
    if (status === undefined || status.state === state) return;
    state = status.state;
    sendAll({ kind: 'verification', status });
  }
  const timer = setInterval(() => {
    relay.checkSubscription();
    sendVerification();
    sendAll({ kind: 'nodes', nodes: client.nodes() });
    sendArchive(sendAll);
  }, stateInterval);

  for (let index = 0; index < count; index += 1) start();

  return {
    /** Resolves once all workers listen. Rejects with a {@link WorkerStartError}. */
    listening,
    /** The metrics of each worker. A worker that does not answer within five seconds is left out. */
    async metrics(): Promise<readonly (readonly object[])[]> {
      const values = await Promise.all(
        [...all].map(async (running) => {
          requests += 1;
          const id = requests;
          const metricsReply = new Promise<readonly object[]>((resolve) => running.metrics.set(id, resolve));
          running.send({ kind: 'readMetrics', id });
          const values = await Promise.race([metricsReply, pause(metricsWait).then(() => undefined)]);
          running.metrics.delete(id);
          return values;
        }),
      );
      return values.flatMap((workerValues) => (workerValues === undefined ? [] : [workerValues]));
    },
    /** How many workers take requests, and how often one was started again. */
    stats: () => ({ listening: [...all].filter(({ url }) => url !== undefined).length, restarts }),
    hasReady: () => [...all].some(({ failed }) => failed.length === 0),
    /** Lets all workers drain, and resolves when they have ended. */
    async stop(times: { readonly delay: number; readonly limit: number }): Promise<void> {
      isStopping = true;
      clearInterval(timer);
      sendAll({ kind: 'stop', ...times });
      await Promise.all(
        [...all].map(({ worker }) => (worker.isDead() ? undefined : new Promise((resolve) => worker.once('exit', resolve)))),
      );
      relay.stop();
      stopVerified?.();
      stopConflicts?.();
      stopCoverage?.();
    },
  };
}

/**
 * Starts the primary process and its workers. The primary follows the nodes, sends transactions, writes the archive, and serves the
 * operators' endpoints. The workers serve everything else. `opened` gets what the process has to close.
 */
export async function runPrimary(config: Config, opened: Opened): Promise<void> {
  const { limits, log, tracer, devnet, nodes, transport, light } = await openProcessWithNodes(config, opened);
  const faults = openFaults(log);
  const memory = memoryOf(limits['cache.bytes'], config.workers);
  const client = openClient({ config, limits, shared: undefined, tracer, log, bytes: memory.process, transport, light });
  opened.add(() => client.close());
  const isTemporary = devnet !== undefined && config.archive.kind === 'file';
  const archiveDirectory = isTemporary ? mkdtempSync(join(tmpdir(), 'stele-archive-')) : undefined;
  if (archiveDirectory !== undefined) process.once('exit', () => rmSync(archiveDirectory, { recursive: true, force: true }));
  const archive = await startArchive(config, { client, isEmbedded: devnet !== undefined, log, temporary: archiveDirectory });
  opened.add(() => archive?.close());
  opened.add(watchNodes(client, nodes, log));
  const workers = startWorkers({
    count: config.workers,
    client,
    archive,
    store: createLocalStore({ maxBytes: memory.store, maxValue: limits['shared.value'] }),
    secret: randomBytes(32).toString('base64url'),
    archiveDirectory,
    tracer,
    onRestart: log.worker,
  });
  opened.add(() => workers.stop({ delay: 0, limit: 0 }));
  const { url, token } = await workers.listening.catch((error: unknown) => {
    throw error instanceof WorkerStartError ? new ConfigError(error.reasons) : error;
  });
  const health = createHealth({ client, archive, hasWorker: workers.hasReady });
  const metrics = createMetrics((kinds) =>
    addPrimaryMetrics(kinds, {
      client,
      archive,
      faults: faults.counts,
      droppedLines: log.dropped,
      spans: tracer.spans,
      version,
      workers: workers.stats,
    }),
  );
  const admin = await startAdmin({
    host: config.adminHost,
    port: config.adminPort,
    health,
    metrics: async () => metrics.text(await workers.metrics()),
    limits,
    report: log.error,
  });
  opened.add(() => admin.close());
  printStart({ url, adminUrl: admin.url, client, devnet, token, opened });

  stopOnSignal(limits, async (times) => {
    health.shutDown();
    await workers.stop(times);
    await opened.close();
  });
}
