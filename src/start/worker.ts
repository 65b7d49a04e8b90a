import { followArchive } from '../archive/setup/open.ts';
import { onAbort } from '../chain/base/time.ts';
import type { Client } from '../chain/client.ts';
import { newestProvable, type Proofs, type StoreRead } from '../chain/proofs/proofs.ts';
import { type Span, spanOf } from '../chain/tracing/tracer.ts';
import type { Broadcaster, BroadcasterCall } from '../chain/transactions/broadcaster.ts';
import type { TxUpdate } from '../chain/transactions/resend.ts';
import { closedError } from '../chain/transports/http.ts';
import type { CallOptions, NodeView, SubscriptionListener, Transport } from '../chain/transports/transport.ts';
import {
  type HeadVerification,
  noVerification,
  type Verification,
  type VerificationStatus,
} from '../chain/transports/verification.ts';
import { type HeadBlock, newBlockQuery } from '../chain/wire/block.ts';
import type { JsonObject } from '../chain/wire/json.ts';
import type { Config } from '../config/settings/config.ts';
import { defaultClaimTime, type SharedStore } from '../shared/sharedStore.ts';
import { serve } from './server.ts';
import {
  archiveModeOf,
  closeFailed,
  ignoreSignals,
  type Opened,
  openClient,
  openProcess,
  openShared,
  placeOf,
  untilUsable,
} from './starting.ts';
import { webhookSecretOf } from './webhookSecret.ts';
import {
  createOutbox,
  memoryOf,
  type OperationName,
  type Operations,
  type ToPrimary,
  type ToWorker,
  type UpdateOf,
  unpackError,
} from './workerMessages.ts';

/** The connection of a worker to the primary. */
export interface PrimaryLink {
  /** Runs an operation in the primary, below `span`, which is that of the signal by default. Rejects with its error, or with the signal's reason. */
  ask<K extends OperationName>(
    name: K,
    args: Operations[K]['args'],
    options?: {
      readonly signal?: AbortSignal | undefined;
      readonly span?: Span | undefined;
      readonly onUpdate?: (update: UpdateOf<K>) => void;
    },
  ): Promise<Operations[K]['result']>;
  /** Calls `listener` with each message of this kind. Call the returned function to stop that. */
  on<K extends ToWorker['kind']>(kind: K, listener: (message: Extract<ToWorker, { kind: K }>) => void): () => void;
  tell(message: ToPrimary): void;
  isOpen(): boolean;
}

interface Pending {
  resolve(value: never): void;
  reject(error: unknown): void;
  update(value: never): void;
}

function createPrimaryLink(): PrimaryLink {
  const pending = new Map<number, Pending>();
  const listeners = new Map<string, Set<(message: never) => void>>();
  let count = 0;

  const tell = createOutbox<ToPrimary>((messages) => {
    if (process.connected) process.send?.(messages, undefined, undefined, () => undefined);
  });

  function receive(message: ToWorker): void {
    if (message.kind === 'update') pending.get(message.id)?.update(message.value);
    if (message.kind === 'result') pending.get(message.id)?.resolve(message.value);
    if (message.kind === 'error') pending.get(message.id)?.reject(unpackError(message.error));
    // The message has the kind that the listener was added for.
    for (const listener of [...(listeners.get(message.kind) ?? [])]) Reflect.apply(listener, undefined, [message]);
  }

  process.on('message', (messages: readonly ToWorker[]) => messages.forEach(receive));
  process.on('disconnect', () => {
    for (const { reject } of [...pending.values()]) reject(closedError());
  });

  return {
    ask(name, args, { signal, span = spanOf(signal), onUpdate } = {}) {
      if (signal?.aborted === true) return Promise.reject(signal.reason);
      if (!process.connected) return Promise.reject(closedError());
      count += 1;
      const id = count;
      return new Promise((resolve, reject) => {
        const end = (): void => {
          pending.delete(id);
          stop();
        };
        const stop = onAbort(signal, () => {
          tell({ kind: 'abort', id });
          end();
          reject(signal?.reason);
        });
        pending.set(id, {
          update: (value) => onUpdate?.(value),
          resolve(value) {
            end();
            resolve(value);
          },
          reject(error) {
            end();
            reject(error);
          },
        });
        Reflect.apply(tell, undefined, [{ kind: 'ask', id, operation: { name, args }, trace: span?.headers() }]);
      });
    },
    on(kind, listener) {
      const ofKind = listeners.get(kind) ?? new Set();
      listeners.set(kind, ofKind.add(listener));
      return () => ofKind.delete(listener);
    },
    tell,
    isOpen: () => process.connected,
  };
}

/** Creates the shared store of a worker, which is in the memory of the primary. */
function createLinkedStore(link: PrimaryLink): SharedStore {
  const calls = { answered: 0, failed: 0, skipped: 0 };
  const counts = { hits: 0, misses: 0 };

  /** Resolves to undefined if the primary has ended. */
  async function run<T>(askedWork: Promise<T>): Promise<T | undefined> {
    try {
      const result = await askedWork;
      calls.answered += 1;
      return result;
    } catch {
      calls.failed += 1;
      return undefined;
    }
  }

  return {
    claimTime: defaultClaimTime,
    async find(group, keys, claim) {
      const result = await run(link.ask('find', { group, keys, claim }));
      if (result !== undefined) counts[result.kind === 'value' ? 'hits' : 'misses'] += 1;
      return result;
    },
    get: (group, key) => run(link.ask('get', { group, key })),
    async put(group, key, value, ttl, claim) {
      return (await run(link.ask('put', { group, key, value, ttl, claim }))) ?? false;
    },
    async release(group, key) {
      await run(link.ask('release', { group, key }));
    },
    count: (update) => run(link.ask('count', update)),
    isUsable: link.isOpen,
    stats: () => ({ isUsable: link.isOpen(), calls, ...counts, losses: 0 }),
    close: async () => undefined,
  };
}

/** Creates the broadcaster of a worker: the primary sends, so that the transactions of an account stay in order. */
function createLinkedBroadcaster(link: PrimaryLink): Broadcaster {
  async function* submit(tx: Uint8Array, { signal }: BroadcasterCall = {}): AsyncGenerator<TxUpdate, undefined> {
    const leaving = new AbortController();
    const updates: TxUpdate[] = [];
    let wake: (() => void) | undefined;
    let failure: { readonly error: unknown } | undefined;
    let isOver = false;
    const onUpdate = (update: TxUpdate): void => {
      updates.push(update);
      wake?.();
    };
    link
      .ask('submit', { tx }, { signal: leaving.signal, span: spanOf(signal), onUpdate })
      .catch((error: unknown) => {
        failure = { error };
      })
      .finally(() => {
        isOver = true;
        wake?.();
      });
    try {
      for (;;) {
        const update = updates.shift();
        if (update !== undefined) yield update;
        else if (failure !== undefined) throw failure.error;
        else if (isOver) return undefined;
        else
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
      }
    } finally {
      leaving.abort();
    }
  }

  return {
    sync: (tx, { signal } = {}) => link.ask('broadcast', { method: 'sync', tx, joinsDuplicate: true }, { signal }),
    async: (tx, { signal } = {}) => link.ask('broadcast', { method: 'async', tx, joinsDuplicate: true }, { signal }),
    commit: (tx, { signal, joinsDuplicate = true } = {}) =>
      link.ask('broadcast', { method: 'commit', tx, joinsDuplicate }, { signal }),
    submit,
    check: (tx, { signal } = {}) => link.ask('check', { tx }, { signal }),
    evidence: (evidence, { signal } = {}) => link.ask('evidence', { evidence }, { signal }),
    rebroadcasts: () => ({ resent: 0, moved: 0, failover: 0, next_block: 0 }),
    close: () => undefined,
  };
}

/** The number of blocks of which a worker keeps how they were verified. */
const verificationsKept = 1_024;

/** Creates the verification of a worker: the primary verifies. Before its first message, nothing is verified. */
function createLinkedVerification(link: PrimaryLink): HeadVerification {
  const verifications = new Map<bigint, Verification>();
  const verifiedListeners = new Set<(verification: Verification) => void>();
  const conflictListeners = new Set<(height: bigint) => void>();
  let status: VerificationStatus = noVerification;
  link.on('verification', (message) => {
    ({ status } = message);
    const { newest } = status;
    if (newest !== undefined) {
      verifications.set(newest.height, newest);
      for (const height of verifications.keys()) {
        if (verifications.size <= verificationsKept) break;
        verifications.delete(height);
      }
      for (const listener of verifiedListeners) listener(newest);
    }
    if (message.conflict !== undefined) for (const listener of conflictListeners) listener(message.conflict);
  });
  return {
    admits: ({ height, hash }) => status.state === 'UNAVAILABLE' || verifications.get(height)?.hash === hash,
    at: (height) => verifications.get(height),
    status: () => status,
    onVerified(listener) {
      verifiedListeners.add(listener);
      return () => verifiedListeners.delete(listener);
    },
    onConflict(listener) {
      conflictListeners.add(listener);
      return () => conflictListeners.delete(listener);
    },
  };
}

/** Creates the proven state of a worker: the primary proves, so that equal reads of several workers are proven once. */
function createLinkedProofs(link: PrimaryLink, verification: HeadVerification): Proofs {
  return {
    newest: () => newestProvable(verification),
    async at(height, signal) {
      const state = await link.ask('provenAt', { height }, { signal });
      const ask = (read: StoreRead) => link.ask('provenRead', { height, read }, { signal });
      return {
        ...{ ...state, height },
        async get(store, key) {
          const value = await ask({ store, key });
          if (value === null || value instanceof Uint8Array) return value;
          throw new TypeError('a proven read of a key was answered with rows');
        },
        async range(store, prefix, bounds) {
          const rows = await ask({ store, prefix, bounds });
          if (rows !== null && !(rows instanceof Uint8Array)) return rows;
          throw new TypeError('a proven read of a range was answered with a value');
        },
      };
    },
    proofOf: (height, reads, signal) => link.ask('proofOf', { height, reads }, { signal }),
    rootsOf: (height, stores, signal) => link.ask('rootsOf', { height, stores }, { signal }),
    stats: () => ({ proofs: 0, hints: 0 }),
  };
}

/**
 * Creates the transport of a worker: the primary calls the nodes. The newest blocks are those that the primary has accepted, so all
 * workers follow one head. `verify`: what the primary verifies.
 */
export function createLinkedTransport(
  link: PrimaryLink,
  { verify = 'off' }: { readonly verify?: Config['verify'] } = {},
): Transport {
  const blockListeners = new Set<SubscriptionListener>();
  const verification = verify === 'off' ? undefined : { ...createLinkedVerification(link), provesReads: verify === 'reads' };
  let nodes: readonly NodeView[] = [];
  let newestBlock: HeadBlock | undefined;
  let isSubscribed = false;
  link.on('head', (message) => {
    isSubscribed = message.isSubscribed;
    if (isSubscribed) return;
    for (const listener of [...blockListeners]) {
      blockListeners.delete(listener);
      listener.end(closedError());
    }
  });
  link.on('nodes', (message) => {
    nodes = message.nodes;
  });
  link.on('newest', ({ newest }) => {
    newestBlock = newest;
  });
  link.on('block', ({ event }) => {
    for (const { event: deliver } of [...blockListeners]) deliver(event);
  });

  async function call<T>(
    node: string | undefined,
    method: string,
    params: JsonObject,
    { height, signal, span, maySimulate, quorum, decode }: CallOptions<T>,
  ): Promise<T> {
    return decode(await link.ask('call', { method, params, height, node, maySimulate, quorum }, { signal, span }));
  }

  return {
    call: (method, params, options) => call(undefined, method, params, options),
    subscribe(query, listener) {
      const leaving = new AbortController();
      if (query === newBlockQuery) {
        queueMicrotask(() => {
          if (leaving.signal.aborted) return;
          if (!isSubscribed) return listener.end(closedError());
          blockListeners.add(listener);
          listener.open?.();
        });
        return {
          close() {
            leaving.abort();
            if (blockListeners.delete(listener)) listener.end(undefined);
          },
        };
      }
      let isOpen = false;
      link
        .ask(
          'subscribe',
          { query },
          {
            signal: leaving.signal,
            // The first update says that the node has accepted the subscription.
            onUpdate(event) {
              if (isOpen) listener.event(event);
              else listener.open?.();
              isOpen = true;
            },
          },
        )
        .then(
          () => listener.end(undefined),
          (error: unknown) => listener.end(leaving.signal.aborted || !(error instanceof Error) ? undefined : error),
        );
      return { close: () => leaving.abort() };
    },
    guardsSimulations: true,
    ...(verification && { verification }),
    nodes: () => nodes,
    handle: (alias) =>
      nodes.some((node) => node.alias === alias)
        ? { alias, call: (method, params, options) => call(alias, method, params, options) }
        : undefined,
    onRewind: (listener) => link.on('rewind', ({ rewind }) => listener(rewind)),
    onNewest(listener) {
      // It may have been sent before this process was ready for it.
      if (newestBlock !== undefined) queueMicrotask(() => newestBlock && listener(newestBlock));
      return link.on('newest', ({ newest }) => listener(newest));
    },
    close: async () => undefined,
  };
}

const readyInterval = 500;

type Start = Extract<ToWorker, { kind: 'start' }>;

/** Serves the port of the server as one of several processes. `opened` gets what the process has to close. */
export async function runWorker(config: Config, opened: Opened): Promise<void> {
  ignoreSignals();
  const link = createPrimaryLink();
  // Nothing that this process began may outlive the primary.
  process.on('disconnect', () => void closeFailed(opened).finally(() => process.exit(1)));
  const started = new Promise<Start>((resolve) => link.on('start', resolve));
  // Before `loaded`, because the primary sends the state of the nodes and of its subscription in response, and then changes only.
  const transport = createLinkedTransport(link, { verify: config.verify });
  link.tell({ kind: 'loaded' });
  const { secret, archiveDirectory } = await started;
  const { limits, log, tracer } = await openProcess(config, opened);
  let ownClient: Client | undefined;
  const shared: SharedStore =
    config.shared === undefined
      ? createLinkedStore(link)
      : await openShared(config.shared, { limits, log, client: () => ownClient });
  opened.add(() => shared.close());
  const client = openClient({
    ...{ config, limits, shared, tracer },
    bytes: memoryOf(limits['cache.bytes'], config.workers).process,
    transport,
    sender: createLinkedBroadcaster(link),
    proofs: transport.verification && createLinkedProofs(link, transport.verification),
  });
  opened.add(() => client.close());
  ownClient = client;
  if (config.shared !== undefined) await untilUsable(shared, client);
  const archive = openArchive(config, client, link, archiveDirectory);
  opened.add(() => archive?.close());
  const { server, devnetToken, stop } = await serve({
    ...{ config, client, archive, shared, limits, log, tracer },
    secret: config.shared === undefined ? secret : config.sharedSecret,
    webhookSecret: webhookSecretOf(config, archiveDirectory),
    admin: undefined,
    isWorker: true,
  });
  opened.add(stop);
  link.on('readMetrics', ({ id }) => {
    server.metrics().then(
      (values) => link.tell({ kind: 'metrics', id, values }),
      (error: unknown) => log.error(error, 'metrics'),
    );
  });
  const report = (): void => link.tell({ kind: 'ready', failed: server.failed() });
  const timer = setInterval(report, readyInterval);
  report();
  link.tell({ kind: 'listening', url: server.url, token: await devnetToken?.() });

  link.on('stop', async (times) => {
    setTimeout(() => process.exit(1), limits['shutdown.exit']);
    clearInterval(timer);
    await server.drain(times);
    await opened.close();
    process.exit(0);
  });
}

/** Opens the archive that the primary writes. undefined if there is none. */
function openArchive(config: Config, client: Client, link: PrimaryLink, temporary: string | undefined) {
  const place = placeOf(config, config.nodes.length === 0, temporary);
  if (place === undefined) return undefined;
  const { archive, follow } = followArchive(place, archiveModeOf(config), {
    addRehearsal: (rehearsal) => link.ask('keepRehearsal', { rehearsal }),
    addRoots: (runs) => link.ask('keepRoots', { runs }),
    change: (statements) => link.ask('change', { statements }),
  });
  link.on('archive', ({ state }) => follow(state));
  client.attach(archive);
  client.remember(archive.past);
  return archive;
}

/** Sends the primary the reasons why this process cannot start. */
export async function failStart(reasons: readonly string[]): Promise<void> {
  await new Promise<void>((resolve) => {
    if (process.send === undefined) resolve();
    else process.send([{ kind: 'failed', reasons }], undefined, undefined, () => resolve());
  });
}
