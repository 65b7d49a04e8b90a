import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import { print } from 'graphql';
import { expect, vi } from 'vitest';
import type { Archive } from '../../src/archive/setup/archive.ts';
import { type ArchivePlace, openArchive } from '../../src/archive/setup/open.ts';
import { createHead, type HeadOptions } from '../../src/chain/blocks/head.ts';
import { type Client, createClient } from '../../src/chain/client.ts';
import type { LightClient } from '../../src/chain/lightClient/lightClient.ts';
import { verifiedNodes } from '../../src/chain/lightClient/verifiedNodes.ts';
import { createMemoryBudget } from '../../src/chain/memory/memoryBudget.ts';
import type { StateRootsOptions } from '../../src/chain/roots/stateRoots.ts';
import type { BroadcasterOptions } from '../../src/chain/transactions/broadcaster.ts';
import { type FallbackOptions, fallback } from '../../src/chain/transports/fallback.ts';
import { type HttpOptions, http } from '../../src/chain/transports/http.ts';
import { createLimits } from '../../src/config/limits/limits.ts';
import { createChainRecorder } from '../../src/modules/records/recorder.ts';
import { createSharedReads, storeWaits } from '../../src/shared/sharedStore.ts';
import { type Server, type ServerOptions, startServer } from '../../src/start/server.ts';
import { holdToDescriptions } from './answerCheck.ts';

/** A response as a client parses it. */
export interface Answer<T> {
  readonly status: number;
  readonly height: string | null;
  readonly body: {
    readonly data?: T | null;
    readonly errors?: readonly {
      readonly message: string;
      readonly path?: readonly (string | number)[];
      readonly extensions: Record<string, unknown>;
    }[];
    readonly extensions?: { readonly height?: string; readonly warnings?: readonly string[] };
  };
}

/** The whole server over some nodes, with an HTTP client. */
export interface Stack {
  readonly client: Client;
  readonly server: Server;
  ask<T, V>(document: TypedDocumentNode<T, V>, variables: V, headers?: Record<string, string>): Promise<Answer<T>>;
  ask(document: string, variables?: Record<string, unknown>, headers?: Record<string, string>): Promise<Answer<unknown>>;
  /** Failures whose messages were masked in responses. */
  readonly masked: unknown[];
  close(): Promise<void>;
}

/** Records the chain of a client, from the newest block on. */
async function openTestArchive(client: Client, place: ArchivePlace, onBackfill: (line: string) => void): Promise<Archive> {
  const log = {
    status: () => undefined,
    backfill: onBackfill,
    audit: (id: bigint) => expect.fail(`the audit of ${id} failed`),
  };
  const archive = openArchive({
    client,
    recorder: createChainRecorder(),
    place,
    mode: 'FULL',
    from: undefined,
    log,
  });
  client.attach(archive);
  const { height } = await client.head.ready();
  await archive.reader.waitFor(height, { milliseconds: 20_000 });
  return archive;
}

/** How the server of a test differs from one with the defaults. */
export interface StackOptions {
  /** The connections to the nodes, and how their trouble is noticed. */
  readonly upstream?: HttpOptions &
    Pick<HeadOptions, 'silence'> &
    Pick<FallbackOptions, 'probeInterval' | 'ejection' | 'quorum' | 'onEvidence' | 'hedges'> & {
      /** Verifies the newest blocks. By default they are not verified. */
      readonly light?: LightClient;
    };
  readonly client?: Pick<Parameters<typeof createClient>[0], 'stateCache' | 'methods' | 'simulation' | 'rehearsesContracts'> & {
    readonly broadcaster?: BroadcasterOptions;
    /**
     * Whether the roots of stores are learnt, which takes calls at each block. Tests that count all calls turn it off. The server then starts after
     * the calls with which the head begins.
     */
    readonly learnsRoots?: boolean;
    /** Whether reads are proven, which needs `light`. */
    readonly provesReads?: boolean;
    readonly roots?: Pick<StateRootsOptions, 'checkInterval' | 'longestWait' | 'table'>;
  };
  readonly archive?: {
    /** Whether the server has an archive, in a temporary file unless a place is given. */
    readonly records?: boolean | ArchivePlace;
    /** Called with each line of the log about what came before the recording. */
    readonly onBackfill?: (line: string) => void;
  };
  /** Requests need no token by default, and the limits of rates are off. */
  readonly server?: Partial<Omit<ServerOptions, 'client' | 'host' | 'archive' | 'isWorker' | 'faults'>>;
}

/** Starts the server over these nodes, on a free port unless one is given. Later options take the place of earlier ones. */
export async function startStack(urls: readonly string[], ...all: readonly StackOptions[]): Promise<Stack> {
  const options: Required<StackOptions> = {
    upstream: Object.assign({}, ...all.map(({ upstream }) => upstream)),
    client: Object.assign({}, ...all.map(({ client }) => client)),
    archive: Object.assign({}, ...all.map(({ archive }) => archive)),
    server: Object.assign({}, ...all.map(({ server }) => server)),
  };
  const { silence, probeInterval, ejection, quorum, onEvidence, hedges = false, light, ...connection } = options.upstream;
  const {
    broadcaster,
    learnsRoots = true,
    provesReads = false,
    roots,
    stateCache,
    methods,
    simulation,
    rehearsesContracts = false,
  } = options.client;
  const { records = false, onBackfill = () => undefined } = options.archive;
  const { limits, shared, tracer, report } = options.server;
  const transports = urls.map((url, index) => http(url, { alias: `node-${index + 1}`, ...connection }));
  const upstream = fallback(light ? verifiedNodes(light, transports) : transports, {
    ...(probeInterval && { probeInterval }),
    ...(ejection && { ejection }),
    ...(quorum && { quorum }),
    // A slow machine would make reads twice, and tests count them.
    hedges,
    onEvidence,
  });
  const transport = light ? { ...upstream, verification: { ...light, provesReads } } : upstream;
  const client = createClient({
    transport,
    quorum,
    memory: createMemoryBudget({ bytes: limits?.['cache.bytes'] }),
    head: createHead({ transport, behind: provesReads ? 'WAITS' : undefined, ...(silence && { silence }) }),
    ...(broadcaster && { broadcaster }),
    learnsRoots,
    ...(roots && { roots }),
    ...(stateCache && { stateCache }),
    shared:
      shared && ((blockHash) => createSharedReads(shared, { blockHash, longest: storeWaits(createLimits(limits)).reads })),
    methods,
    simulation,
    ...(light && { light }),
    rehearsesContracts,
    ...(tracer && { tracer }),
  });
  if (!learnsRoots) await vi.waitFor(() => expect(client.head.stats().isComplete).toBe(true), { interval: 2, timeout: 30_000 });
  const masked: unknown[] = [];
  const place: ArchivePlace = typeof records === 'object' ? records : { kind: 'temporary' };
  const archive = records === false ? undefined : await openTestArchive(client, place, onBackfill);
  const server = await startServer({
    auth: 'open',
    port: 0,
    ...options.server,
    client,
    host: '127.0.0.1',
    report: report ?? ((error) => masked.push(error)),
    // Tests send more requests per second than a client may.
    limits: {
      'rate.points': 0,
      'rate.computing': 0,
      'rate.broadcasts': 0,
      'rate.failedAuthentications': 0,
      'rate.public': 0,
      ...limits,
    },
    archive,
  });

  const letGo = holdToDescriptions(server.url, client);

  async function ask(document: unknown, variables: unknown = {}, headers: Record<string, string> = {}): Promise<Answer<never>> {
    const query = typeof document === 'string' ? document : print(document as TypedDocumentNode);
    const response = await fetch(`${server.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json', ...headers },
      body: JSON.stringify({ query, variables }),
    });
    return {
      status: response.status,
      height: response.headers.get('x-cosmos-block-height'),
      body: (await response.json()) as never,
    };
  }

  return {
    client,
    server,
    ask,
    masked,
    async close() {
      letGo();
      await server.close();
      await archive?.close();
      await client.close();
    },
  };
}
