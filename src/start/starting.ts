import type { Devnet } from '../../packages/devnet/src/devnet.ts';
import { pause } from '../chain/base/time.ts';
import { type Client, type ClientOptions, createClient } from '../chain/client.ts';
import { createDescriptorCache } from '../chain/descriptors/descriptors.ts';
import { createMemoryBudget } from '../chain/memory/memoryBudget.ts';
import { createSimulationNode, type SimulationNode } from '../chain/simulation/simulations.ts';
import { createLimits, type Limits } from '../config/limits/limits.ts';
import type { Config } from '../config/settings/config.ts';
import { createLog, type Log } from '../server/observability/log.ts';
import { createSharedReads, type SharedStore, storeWaits } from '../shared/sharedStore.ts';
import { createTracing } from './tracing.ts';

export interface Opened {
  /** Remembers how a part is closed. */
  add(close: () => unknown): void;
  /** Closes all parts, the last one first. A part that cannot be closed does not keep the others open. */
  close(): Promise<void>;
}

export function createOpened(): Opened {
  const closes: (() => unknown)[] = [];
  return {
    add: (close) => void closes.push(close),
    async close() {
      for (let last = closes.pop(); last !== undefined; last = closes.pop())
        try {
          await last();
        } catch {
          // The process ends in any case.
        }
    },
  };
}

/** How long a start that fails waits until what it has opened is closed, in ms. */
const failureWait = 5_000;

/**
 * Closes what a start that has failed had opened. A process that exits during a call of the database prints a panic of the library, so the archive is
 * closed first.
 */
export async function closeFailed(opened: Opened): Promise<void> {
  await Promise.race([opened.close(), pause(failureWait)]);
}

/** Starts the embedded development chain. Its code is loaded only if it is used. */
export async function embeddedDevnet(): Promise<Devnet> {
  const { createDevnet } = await import('../../packages/devnet/src/devnet.ts');
  return createDevnet({ actors: true, admin: true });
}

/** What every process of a server has: its limits, its log, and its tracer, which `opened` closes. */
export async function openProcess(config: Config, opened: Opened) {
  const log = createLog({ level: config.logLevel, out: process.stdout });
  const tracer = await createTracing(process.env, log.traces);
  opened.add(() => tracer.close(spanWait));
  return { limits: createLimits({ ...config.limits, 'shutdown.delay': config.drainDelay }), log, tracer };
}

export function nodesOf(config: Config, devnet: Devnet | undefined): readonly string[] {
  return devnet?.nodes.map(({ url }) => url) ?? config.nodes;
}

/** Creates the client of a process. `bytes` is the memory of all of its caches. */
export function openClient(
  options: Pick<ClientOptions, 'transport' | 'sender' | 'tracer'> & {
    readonly config: Config;
    readonly limits: Limits;
    readonly shared: SharedStore | undefined;
    readonly bytes: number;
    /** Logs nodes that do not end a simulation. Absent in a worker, which calls no node. */
    readonly log?: Pick<Log, 'simulation'>;
  },
): Client {
  const { config, limits, shared, bytes, transport, sender, tracer, log } = options;
  const client: Client = createClient({
    transport,
    sender,
    tracer,
    memory: createMemoryBudget({ bytes }),
    shared: shared && ((blockHash) => createSharedReads(shared, { blockHash, longest: storeWaits(limits).reads })),
    broadcaster: { commitWait: limits['broadcast.wait'] },
    simulation: {
      node: transport.guardsSimulations ? undefined : simulationNode(config, limits, () => client),
      everywhere: config.simulatesEverywhere,
      bytes: limits['simulation.bytes'],
      messages: limits['simulation.messages'],
      deadline: limits['simulation.deadline'],
      share: limits['simulation.share'],
      pause: limits['simulation.pause'],
      onHang: log?.simulation,
    },
    // The descriptors of the embedded chain change with this code, so they must not be cached.
    descriptorCache:
      config.nodes.length === 0 || config.cacheDir === undefined ? undefined : createDescriptorCache(config.cacheDir),
  });
  return client;
}

/** The connection to the node for simulations; undefined if none is configured. */
function simulationNode({ simulationNode: url }: Config, limits: Limits, client: () => Client): SimulationNode | undefined {
  if (url === undefined) return undefined;
  return createSimulationNode({
    url,
    chainId: () => client().head.current()?.chainId,
    timeout: limits['upstream.attempt'],
    connectTimeout: limits['upstream.connect'],
    maxAnswerBytes: limits['upstream.answer'],
  });
}

/** How long a stop waits for the collector that receives the last spans, in ms. */
const spanWait = 2_000;

function print(lines: readonly string[]): void {
  process.stdout.write(`${lines.join('\n')}\n`);
}

function printDevnet(devnet: Devnet): void {
  print([
    `Development chain ${devnet.chainId}, one block per second, nodes: ${devnet.nodes.map((node) => node.url).join(' ')}`,
    'Accounts of the public development mnemonic, for this chain only. Accounts 8 and 9 are free for your use:',
    ...devnet.accounts.map(({ address }, index) => `  ${index}  ${address}`),
  ]);
}

/** Prints the chain and its height as soon as a node has named them. Resolves then, or when `signal` aborts. */
async function printChain({ head, nodes }: Client, signal: AbortSignal): Promise<void> {
  const block = await head.ready({ signal }).catch(() => undefined);
  const count = nodes().length;
  if (block !== undefined) print([`Chain ${block.chainId} at height ${block.height}, ${count} node${count === 1 ? '' : 's'}`]);
}

/** Prints a token and a first query that uses it. */
function printToken(token: string, url: string): void {
  print([
    'A token of the client `devnet` with every scope, and a first query:',
    `  export token=${token}`,
    `  curl -s ${url}/graphql -H "authorization: Bearer $token" -H 'content-type: application/json' -d '{"query":"{ head { height time } groups { nodes { id metadata policies { nodes { address } } } } }"}'`,
  ]);
}

/** Prints where the server is, and then the chain of its nodes. `token` is one of the client `devnet`; undefined if there is none. */
export function printStart(options: {
  readonly url: string;
  readonly adminUrl: string | undefined;
  readonly client: Client;
  readonly devnet: Devnet | undefined;
  readonly token: string | undefined;
  readonly opened: Opened;
}): void {
  const { url, adminUrl, client, devnet, token, opened } = options;
  print([
    `Dashboard: ${url}/dashboard`,
    `Stele is up in ${Math.round(performance.now())} ms: ${url}/graphql`,
    `For operators: ${adminUrl}/metrics and /readyz`,
  ]);
  if (devnet !== undefined) printDevnet(devnet);
  if (token !== undefined) printToken(token, url);
  if (devnet !== undefined) return;
  const controller = new AbortController();
  opened.add(() => controller.abort());
  void printChain(client, controller.signal);
}

/** The signals that stop the server, with their numbers. */
const signals = { SIGINT: 2, SIGTERM: 15 } as const;

type StopSignal = keyof typeof signals;

/**
 * The same signal twice within this time, in ms, counts once: the terminal sends Ctrl-C to npm and to the server, and npm
 * forwards it.
 */
const duplicateSignalTime = 100;

/**
 * On the first signal, calls `stop` with the times of the drain, and exits once it has resolved, or after `shutdown.exit`. On the second
 * signal, exits at once. Ctrl-C skips the drain delay.
 */
export function stopOnSignal(
  limits: Limits,
  stop: (times: { readonly delay: number; readonly limit: number }) => Promise<void>,
): void {
  let first: { readonly signal: StopSignal; readonly at: number } | undefined;
  const onSignal = async (signal: StopSignal): Promise<void> => {
    if (first !== undefined) {
      if (signal === first.signal && performance.now() - first.at < duplicateSignalTime) return;
      // The exit status of shells for a signal.
      process.exit(128 + signals[signal]);
    }
    first = { signal, at: performance.now() };
    setTimeout(() => process.exit(1), limits['shutdown.exit']);
    await stop({ delay: signal === 'SIGINT' ? 0 : limits['shutdown.delay'], limit: limits['shutdown.drain'] });
    process.exit(0);
  };
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal);
}

/** Ignores the signals. For workers, which their primary stops: a terminal sends Ctrl-C to all processes. */
export function ignoreSignals(): void {
  for (const signal of Object.keys(signals)) process.on(signal, () => undefined);
}
