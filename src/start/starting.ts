import type { Devnet } from '../../packages/devnet/src/devnet.ts';
import type { RecordingStatus } from '../archive/recording/recording.ts';
import type { Archive } from '../archive/setup/archive.ts';
import type { ArchiveOptions, ArchivePlace } from '../archive/setup/open.ts';
import { pause } from '../chain/base/time.ts';
import { type Client, type ClientOptions, createClient } from '../chain/client.ts';
import { createDescriptorCache } from '../chain/descriptors/descriptors.ts';
import { createLightClient, type LightClient } from '../chain/lightClient/lightClient.ts';
import { verifiedNodes } from '../chain/lightClient/verifiedNodes.ts';
import { createMemoryBudget } from '../chain/memory/memoryBudget.ts';
import { createSimulationNode } from '../chain/simulation/simulations.ts';
import { noTracer } from '../chain/tracing/tracer.ts';
import { type FallbackTransport, fallback } from '../chain/transports/fallback.ts';
import { http } from '../chain/transports/http.ts';
import type { AnswerEvidence } from '../chain/transports/quorum.ts';
import type { NodeView } from '../chain/transports/transport.ts';
import { createLimits, type Limits } from '../config/limits/limits.ts';
import { type Config, ConfigError } from '../config/settings/config.ts';
import { version } from '../config/version.ts';
import { createChainRecorder } from '../modules/records/recorder.ts';
import { createLog, type Log, type NodeState } from '../server/observability/log.ts';
import type { ExportingTracer } from '../server/observability/openTelemetry.ts';
import { createSharedReads, type SharedStore, storeWaits } from '../shared/sharedStore.ts';
import { readStoreTable } from './storeTable.ts';
import { createTrustFiles } from './trustFiles.ts';

const protocols = ['http/protobuf', 'http/json'] as const;

const samplers = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

const endpoints = ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'OTEL_EXPORTER_OTLP_ENDPOINT'];

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Creates the tracer that the standard variables of OpenTelemetry describe. Without them it records nothing, and no code of OpenTelemetry is
 * loaded. `onFailure` is called when spans could not be sent. Throws a ConfigError.
 */
export async function createTracing(env: Environment, onFailure: (error: unknown) => void): Promise<ExportingTracer> {
  const { OTEL_TRACES_EXPORTER: exporter, OTEL_TRACES_SAMPLER_ARG: ratio } = env;
  const isOff = env.OTEL_SDK_DISABLED?.toLowerCase() === 'true' || exporter === 'none';
  const isOn = exporter === 'otlp' || endpoints.some((name) => env[name]);
  if (isOff || !isOn) return { ...noTracer, close: () => Promise.resolve() };
  const protocolName = env.OTEL_EXPORTER_OTLP_TRACES_PROTOCOL || env.OTEL_EXPORTER_OTLP_PROTOCOL || protocols[0];
  const protocol = protocols.find((name) => name === protocolName);
  const sampler = samplers.find((name) => name === (env.OTEL_TRACES_SAMPLER || 'parentbased_always_on'));
  const errors: string[] = [];
  if (exporter && exporter !== 'otlp') errors.push('OTEL_TRACES_EXPORTER must be otlp or none');
  if (protocol === undefined) errors.push(`OTEL_EXPORTER_OTLP_PROTOCOL must be ${protocols.join(' or ')}`);
  for (const name of endpoints) {
    if (env[name] && !/^https?:\/\/./.test(env[name])) errors.push(`${name} must be an http or https URL`);
  }
  if (sampler === undefined) errors.push(`OTEL_TRACES_SAMPLER must be one of ${samplers.join(', ')}`);
  if (env.OTEL_TRACES_SAMPLER?.endsWith('traceidratio') && !(ratio && Number(ratio) >= 0 && Number(ratio) <= 1))
    errors.push('OTEL_TRACES_SAMPLER_ARG must be a share from 0 to 1');
  if (errors.length > 0 || protocol === undefined || sampler === undefined) throw new ConfigError(errors);
  const { createOpenTelemetry } = await import('../server/observability/openTelemetry.ts');
  const share = Number(ratio || 1);
  return createOpenTelemetry({ protocol, sampler, share, version, onFailure });
}

export interface Opened {
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

/** What every process of a server has: its limits, its log, and its tracer, which `opened` closes. */
export async function openProcess(config: Config, opened: Opened) {
  const log = createLog({ level: config.logLevel, out: process.stdout });
  const tracer = await createTracing(process.env, log.traces);
  opened.add(() => tracer.close(spanWait));
  return { limits: createLimits({ ...config.limits, 'shutdown.delay': config.drainDelay }), log, tracer };
}

/** What a process that calls nodes has in addition: the embedded chain if no node is configured, and the transport to the nodes. */
export async function openProcessWithNodes(config: Config, opened: Opened) {
  let devnet: Devnet | undefined;
  if (config.nodes.length === 0) {
    // Its code is loaded only if it is used.
    const { createDevnet } = await import('../../packages/devnet/src/devnet.ts');
    devnet = await createDevnet({ actors: true, admin: true, without: config.devnetWithout ?? [] });
  }
  opened.add(() => devnet?.close());
  const parts = await openProcess(config, opened);
  const nodes = devnet?.nodes.map(({ url }) => url) ?? config.nodes;
  const files = createTrustFiles(config.dataDir, (error) => parts.log.error(error, 'trust'));
  opened.add(files.flushed);
  const isEmbedded = devnet !== undefined;
  const chainId = devnet?.chainId ?? config.chainId;
  const light = openLightClient(config, { chainId, isEmbedded, files, log: parts.log, opened });
  const transport = createUpstream({
    ...{ nodes, chainId, limits: parts.limits, light, quorum: config.quorum },
    provesReads: config.verify === 'reads',
    onEvidence(evidence) {
      parts.log.difference(evidence);
      if (!isEmbedded) files.addAnswers(evidence);
    },
  });
  return { ...parts, devnet, nodes, transport, light };
}

/**
 * Creates the light client that verifies the newest blocks; undefined with `--verify off`. The trust is kept in the data directory, but not for development: the
 * embedded chain, and chains of `--dev`, begin again under the same id.
 */
function openLightClient(
  config: Config,
  {
    chainId,
    isEmbedded,
    files,
    log,
    opened,
  }: {
    readonly chainId: string | undefined;
    readonly isEmbedded: boolean;
    readonly files: ReturnType<typeof createTrustFiles>;
    readonly log: Pick<Log, 'trust' | 'evidence' | 'unverified'>;
    readonly opened: Opened;
  },
): LightClient | undefined {
  if (config.verify === 'off') return undefined;
  const isForDevelopment = isEmbedded || config.simulatesEverywhere;
  const light = createLightClient({
    ...{ checkpoint: config.trust, chainId, isRequired: config.requiresVerification, onUnavailable: log.unverified },
    trustingPeriod: config.trustingPeriod,
    followsResets: isForDevelopment && config.trust === undefined,
    ...(!isForDevelopment && { load: files.load, keep: files.keep, onTrust: log.trust }),
    onEvidence(evidence) {
      log.evidence(evidence);
      if (!isEmbedded) files.add(evidence);
    },
  });
  opened.add(() => light.close());
  return light;
}

/** Creates the client of a process. `bytes` is the memory of all of its caches. */
export function openClient(
  options: Pick<ClientOptions, 'transport' | 'sender' | 'tracer' | 'light' | 'proofs'> & {
    readonly config: Config;
    readonly limits: Limits;
    readonly shared: SharedStore | undefined;
    readonly bytes: number;
    /** Logs nodes that do not end a simulation, and whether answers are kept by roots. Absent in a worker, which calls no node. */
    readonly log?: Pick<Log, 'simulation' | 'roots'>;
  },
): Client {
  const { config, limits, shared, bytes, transport, sender, tracer, light, proofs, log } = options;
  const url = transport.guardsSimulations ? undefined : config.simulationNode;
  const nodeOptions = {
    chainId: () => client.head.current()?.chainId,
    timeout: limits['upstream.attempt'],
    connectTimeout: limits['upstream.connect'],
    maxAnswerBytes: limits['upstream.answer'],
  };
  const client: Client = createClient({
    ...{ transport, sender, tracer, light, proofs, quorum: config.quorum },
    memory: createMemoryBudget({ bytes }),
    shared: shared && ((blockHash) => createSharedReads(shared, { blockHash, longest: storeWaits(limits).reads })),
    broadcaster: { commitWait: limits['broadcast.wait'] },
    roots: { table: config.stores === undefined ? undefined : readStoreTable(config.stores) },
    rehearsesContracts: config.rehearseContracts,
    simulation: {
      node: url === undefined ? undefined : createSimulationNode({ url, ...nodeOptions }),
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
  if (log !== undefined) client.roots.onStatus(log.roots);
  return client;
}

/** How long a stop waits for the collector that receives the last spans, in ms. */
const spanWait = 2_000;

function print(lines: readonly string[]): void {
  process.stdout.write(`${lines.join('\n')}\n`);
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
  if (devnet !== undefined)
    print([
      `Development chain ${devnet.chainId}, one block per second, nodes: ${devnet.nodes.map((node) => node.url).join(' ')}`,
      'Accounts of the public development mnemonic, for this chain only. Accounts 8 and 9 are free for your use:',
      ...devnet.accounts.map(({ address }, index) => `  ${index}  ${address}`),
    ]);
  if (token !== undefined)
    print([
      'A token of the client `devnet` with every scope, and a first query:',
      `  export token=${token}`,
      `  curl -s ${url}/graphql -H "authorization: Bearer $token" -H 'content-type: application/json' -d '{"query":"{ head { height time } blocks(first: 3) { nodes { height numTxs proposer { moniker } } } }"}'`,
    ]);
  if (devnet !== undefined) return;
  const controller = new AbortController();
  opened.add(() => controller.abort());
  client.head.ready({ signal: controller.signal }).then(
    ({ chainId, height }) => {
      const count = client.nodes().length;
      print([`Chain ${chainId} at height ${height}, ${count} node${count === 1 ? '' : 's'}`]);
    },
    () => undefined,
  );
}

const signals = { SIGINT: 2, SIGTERM: 15 } as const;

type StopSignal = keyof typeof signals;

/** The same signal twice within this time, in ms, counts once: the terminal sends Ctrl-C to npm and to the server, and npm forwards it. */
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

/** How long a start waits for the shared store, in ms. Without it, the server starts and shares nothing until it responds. */
const startWait = 2_000;

/** Opens the store that replicas share. Its code is loaded only if it is used. `client` returns the client once it exists. */
export async function openShared(
  url: string,
  options: { readonly limits: Limits; readonly log: Pick<Log, 'shared'>; readonly client: () => Client | undefined },
): Promise<SharedStore> {
  const { limits, log, client } = options;
  const { openRedisStore } = await import('../shared/redisStore.ts');
  return openRedisStore({
    url,
    chainId: () => client()?.head.current()?.chainId,
    maxValue: limits['shared.value'],
    wait: limits['shared.wait'],
    onLost: log.shared,
    onBack: () => log.shared(undefined),
  });
}

/** Waits until a store can be used, for two seconds at most. Keys that are read after that are those of the other replicas. */
export async function untilUsable(store: SharedStore, client: Client): Promise<void> {
  await client.head.ready({ milliseconds: startWait }).catch(() => undefined);
  const end = performance.now() + startWait;
  while (!store.isUsable() && performance.now() < end) await pause(10);
}

/** How much longer a node may wait for a commit than Stele does, in ms. */
const commitSlack = 2_000;

const aliasOf = (index: number): string => `node-${index + 1}`;

/** Creates the transport to the nodes at these URLs, with the timeouts of `limits`. The aliases are `node-1`, `node-2` and so on, in their order. */
export function createUpstream(options: {
  readonly nodes: readonly string[];
  readonly chainId?: string | undefined;
  readonly limits: Limits;
  /** Verifies the newest blocks. Absent: they are not verified. */
  readonly light?: LightClient | undefined;
  /** Whether reads of the state are proven, too. */
  readonly provesReads?: boolean;
  /** How many nodes must give the same answer to a read without a proof: 1. */
  readonly quorum?: number;
  readonly onEvidence?: (evidence: AnswerEvidence) => void;
}): FallbackTransport {
  const { nodes, chainId, limits, light, provesReads = false, quorum = 1, onEvidence } = options;
  const perNode = {
    timeout: limits['upstream.attempt'],
    connectTimeout: limits['upstream.connect'],
    maxAnswerBytes: limits['upstream.answer'],
    batchSize: limits['upstream.batch'],
    commitTimeout: limits['broadcast.wait'] + commitSlack,
  };
  const transports = nodes.map((node, index) => http(node, { alias: aliasOf(index), ...perNode }));
  const upstream = fallback(light === undefined ? transports : verifiedNodes(light, transports), {
    ejection: limits['upstream.ejection'],
    failures: limits['upstream.failures'],
    lagBlocks: limits['upstream.lagBlocks'],
    lagTime: limits['upstream.lagTime'],
    downBlocks: limits['upstream.downBlocks'],
    retries: limits['upstream.retries'],
    backoff: limits['upstream.retryWait'],
    retryBudget: limits['upstream.retryBudget'],
    quorum,
    onEvidence,
    ...(chainId !== undefined && { chainId }),
  });
  return light === undefined ? upstream : { ...upstream, verification: { ...light, provesReads } };
}

const checkInterval = 500;

/** Time after the start at which a node that has neither responded nor failed is reported, in ms. With one check interval, less than two seconds. */
const startTimeout = 1_250;

/** Returns the state to report for a node. undefined while it is unknown. */
function stateOf(node: NodeView, sinceStart: number): NodeState | undefined {
  const { health, latency, consecutiveFailures } = node;
  if (health === 'WRONG_CHAIN') return 'WRONG_CHAIN';
  const hasAnswered = latency !== undefined;
  if (hasAnswered && consecutiveFailures === 0) return 'ANSWERS';
  // A single failure may be that of one call. The pool decides when a node that has responded before is down.
  if (hasAnswered) return health === 'DOWN' || health === 'EJECTED' ? 'UNREACHABLE' : undefined;
  return consecutiveFailures > 0 || sinceStart >= startTimeout ? 'UNREACHABLE' : undefined;
}

/**
 * Logs each node that becomes unreachable, and logs it again when it responds. A node that never responds is logged within two seconds. A node that
 * responds from the start is not logged. Reading the state of the nodes also makes the pool probe them. The line has the host of a node,
 * without the path and the credentials of its URL. Returns the function that stops the watch.
 */
export function watchNodes({ nodes }: Client, urls: readonly string[], log: Pick<Log, 'node'>): () => void {
  const hosts = new Map(urls.map((url, index) => [aliasOf(index), new URL(url).host]));
  const startedAt = performance.now();
  const reported = new Map<string, NodeState>();
  const check = (): void => {
    for (const node of nodes()) {
      const { alias, lastErrorCode } = node;
      const state = stateOf(node, performance.now() - startedAt);
      if (state === undefined || state === (reported.get(alias) ?? 'ANSWERS')) continue;
      reported.set(alias, state);
      log.node({ node: alias, host: hosts.get(alias), state, code: state === 'ANSWERS' ? undefined : lastErrorCode });
    }
  };
  const timer = setInterval(check, checkInterval);
  return () => clearInterval(timer);
}

const statusMessages: Readonly<Record<RecordingStatus['state'], string>> = {
  STARTING: 'archive starts',
  STANDBY: 'archive is written by another server',
  RECORDING: 'archive records',
  PAUSED: 'archive paused',
  STOPPED: 'archive stopped',
};

/**
 * Where the archive is stored. The heights of the embedded chain begin again with each start, so its archive is temporary: in the directory
 * `temporary` if several processes read it.
 */
export function placeOf({ archive, dataDir }: Config, isEmbedded: boolean, temporary?: string): ArchivePlace | undefined {
  if (archive.kind === 'off') return undefined;
  if (archive.kind === 'postgres') return archive;
  return isEmbedded ? { kind: 'temporary', path: temporary } : { kind: 'directory', path: dataDir };
}

/** What the archive leaves out on this chain, for the log; undefined if nothing. */
function absentDetail(absent: readonly string[]): string | undefined {
  return absent.length === 0 ? undefined : `nothing of ${absent.join(', ')}: the chain does not have the module`;
}

/** What the archive records. */
export function archiveModeOf({ archive, archiveMode }: Config): ArchiveOptions['mode'] {
  return archive.kind === 'file' ? archive.mode : archiveMode;
}

/**
 * Opens the archive of the chain of a client as configured, gives it to the client, and starts recording. undefined if it is off. The code
 * of the storage is loaded only if it is used.
 */
export async function startArchive(
  config: Config,
  parts: {
    readonly client: Client;
    readonly isEmbedded: boolean;
    readonly log: Pick<Log, 'archive'>;
    readonly temporary?: string | undefined;
  },
): Promise<Archive | undefined> {
  const { client, isEmbedded, log, temporary } = parts;
  const place = placeOf(config, isEmbedded, temporary);
  if (place === undefined) return undefined;
  const { openArchive } = await import('../archive/setup/open.ts');
  const archive = openArchive({
    ...{ client, place, recorder: createChainRecorder() },
    // The embedded chain has begun some blocks ago at most.
    from: config.archiveFrom ?? (isEmbedded ? 1n : undefined),
    mode: archiveModeOf(config),
    retention: config.archiveRetention,
    log: {
      status: ({ state, trouble, message, absent }) =>
        log.archive({
          message: statusMessages[state],
          isTrouble: trouble !== undefined,
          code: trouble,
          detail: message ?? absentDetail(absent),
        }),
      backfill: (detail) => log.archive({ message: 'archive fills in older blocks', isTrouble: false, detail }),
      audit: (id) =>
        log.archive({
          message: 'a computed tally differs from the one of the chain',
          isTrouble: true,
          code: 'ARCHIVE_AUDIT',
          detail: `proposal ${id}`,
        }),
    },
  });
  client.attach(archive);
  return archive;
}
