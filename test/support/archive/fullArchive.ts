import { createApplication } from '../../../packages/devnet/src/app/application.ts';
import { createDevnet, type Devnet } from '../../../packages/devnet/src/devnet.ts';
import type { Archive } from '../../../src/archive/setup/archive.ts';
import { type ArchivePlace, openArchive } from '../../../src/archive/setup/open.ts';
import { isChainError } from '../../../src/chain/base/errors.ts';
import { type Client, createClient } from '../../../src/chain/client.ts';
import { http } from '../../../src/chain/transports/http.ts';
import type { JsonObject } from '../../../src/chain/wire/json.ts';
import { createTraffic } from '../../roots/traffic.ts';
import { seed } from '../atRandom.ts';
import { sharedGenesis } from '../genesis.ts';
import { nothingEarlier } from './simulatedSource.ts';

/** Starts a chain with random transactions in its blocks, which the test creates. */
export function startBusyChain(): Promise<Devnet> {
  const application = createApplication(sharedGenesis());
  return createDevnet({
    application,
    actors: createTraffic(seed, application, 'stele-devnet'),
    blockTime: 'manual',
    genesisTime: 1_700_000_000_000_000_000n,
  });
}

/** A client with an archive of mode FULL over a node. */
export interface FullArchive {
  readonly client: Client;
  readonly archive: Archive;
  /** Number of calls of these methods that reached the node. */
  calls(...methods: readonly string[]): number;
  /** Resolves when the blocks from `from` up to the newest one are indexed. */
  indexed(from: bigint): Promise<void>;
  close(): Promise<void>;
}

/** Records the chain of a node in mode FULL, without facts of governance. */
export async function openFullArchive(
  node: string,
  options: {
    readonly place?: ArchivePlace;
    readonly from?: bigint | undefined;
    readonly retention?: number;
  } = {},
): Promise<FullArchive> {
  const transport = http(node);
  const counts = new Map<string, number>();
  const client = createClient({
    transport: {
      ...transport,
      call(method, params, callOptions) {
        counts.set(method, (counts.get(method) ?? 0) + 1);
        return transport.call(method, params, callOptions);
      },
    },
  });
  const archive = openArchive({
    client,
    recorder: {
      block: async () => [],
      start: async () => [],
      earlier: nothingEarlier,
      absent: async () => [],
      proofRequests: () => [],
    },
    place: options.place ?? { kind: 'temporary' },
    mode: 'FULL',
    retention: options.retention,
    from: options.from,
    log: { status: () => undefined, backfill: () => undefined, audit: () => undefined },
  });
  return {
    client,
    archive,
    calls: (...methods) => methods.reduce((sum, method) => sum + (counts.get(method) ?? 0), 0),
    async indexed(from) {
      for (;;) {
        const { height } = await client.head.ready();
        const { indexed } = archive.reader.coverage();
        if (indexed.some((range) => range.from <= from && range.to >= height)) return;
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    },
    async close() {
      await archive.close();
      await client.close();
    },
  };
}

/** What the client returns, as {@link nodeAnswer} shows it. */
export async function clientAnswer({ client }: FullArchive, method: string, params: JsonObject): Promise<string> {
  try {
    return JSON.stringify(await client.call(method, params));
  } catch (error) {
    return isChainError(error, 'RPC_ERROR') ? `error: ${error.facts.data}` : String(error);
  }
}

/** What a node itself returns, as text. */
export async function nodeAnswer(devnet: Devnet, method: string, params: JsonObject): Promise<string> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const response = await fetch(devnet.nodes[0]!.url, { method: 'POST', body });
  const { result, error } = (await response.json()) as { result?: unknown; error?: { data: string } };
  return error === undefined ? JSON.stringify(result) : `error: ${error.data}`;
}
