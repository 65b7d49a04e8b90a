import { createHash } from 'node:crypto';
import { create, type DescMessage, type DescMethodUnary, toBinary } from '@bufbuild/protobuf';
import { isChainError } from '../../src/chain/base/errors.ts';
import type { Client } from '../../src/chain/client.ts';
import { storesByMethod } from '../../src/chain/roots/gen/storesByMethod.ts';
import { type Application, decodeApplication } from '../../src/chain/roots/methodTables.ts';
import { decodeStoreProof } from '../../src/chain/roots/storeRoots.ts';
import { decodeAbciReply } from '../../src/chain/rpc/rpcErrors.ts';
import { isQueryService } from '../../src/chain/simulation/execution.ts';
import { asObject, isJsonObject, type JsonValue, objectAt } from '../../src/chain/wire/json.ts';
import { messageJson } from '../../src/chain/wire/protoJson.ts';
import { isLiveMethod, methodsOf, servedServices } from '../../src/modules/any/module.ts';
import { createValues, mayContainTime, requestsOf } from './requests.ts';
import type { Answers, Observations } from './rows.ts';

/** Names of stores, besides those of packages that the chain describes and of the table of Stele. */
const otherNames = [
  ...[
    'capability',
    'circuit',
    'consensus',
    'crisis',
    'distribution',
    'epochs',
    'evidence',
    'mint',
    'params',
    'protocolpool',
    'slashing',
  ],
  ...['08-wasm', 'feeibc', 'hooks-for-ibc', 'ibc', 'ibchooks', 'icacontroller', 'icahost', 'interchainaccounts', 'transfer'],
  ...['packetforward', 'packetfowardmiddleware', 'ratelimit', 'ratelimitedibc'],
];

/** How many calls run at once. The transport sends them in batches. */
const atOnce = 60;

async function mapAll<T, R>(items: readonly T[], map: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = new Array(items.length);
  let next = 0;
  const run = async (): Promise<void> => {
    for (let index = next; index < items.length; index = next) {
      next += 1;
      const item = items[index];
      if (item !== undefined) results[index] = await map(item);
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, run));
  return results;
}

const sha256 = (...parts: readonly Uint8Array[]): Buffer => createHash('sha256').update(Buffer.concat(parts)).digest();

/** The root of the Merkle tree of RFC 6962 over these hashes of leaves. */
function merkleRoot(leaves: readonly Buffer[]): Buffer {
  const [first] = leaves;
  if (first === undefined || leaves.length === 1) return first ?? sha256();
  const split = 2 ** (Math.ceil(Math.log2(leaves.length)) - 1);
  return sha256(Uint8Array.of(1), merkleRoot(leaves.slice(0, split)), merkleRoot(leaves.slice(split)));
}

/** What {@link observe} has read. */
export interface Observed extends Observations {
  readonly application: Application;
  readonly sdkVersion: string;
  readonly from: bigint;
  readonly to: bigint;
}

/** Reads the stores and the answers of a chain at its newest `blocks` heights. `report` is called with each step. */
export async function observe(client: Client, blocks: number, report: (line: string) => void): Promise<Observed> {
  const { height: to } = await client.head.ready();
  const application = await client.call('abci_info', {}, { decode: decodeApplication });
  const from = to - BigInt(blocks) + 1n < 2n ? 2n : to - BigInt(blocks) + 1n;
  const heights = Array.from({ length: Number(to - from) + 1 }, (_, index) => from + BigInt(index));
  const pool = await client.descriptors.pool();

  const proofAt = async (store: string, height: bigint) => {
    const params = { path: `/store/${store}/key`, data: 'ff', height: height.toString(), prove: true };
    return client
      .call('abci_query', params, { height, decode: (result) => decodeStoreProof(result, store, height) })
      .catch((error: unknown) => {
        if (isChainError(error, 'ABCI_QUERY_FAILED')) return undefined;
        throw error;
      });
  };
  const names = [...pool.services.flatMap((name) => name.split('.')), ...otherNames];
  for (const { stores } of Object.values(storesByMethod)) names.push(...stores);
  const candidates = [...new Set(names)].filter((name) => /^[a-z0-9-]+$/.test(name)).sort();
  const present = (await mapAll(candidates, (store) => proofAt(store, to))).flatMap((proof) => proof ?? []);
  present.sort((one, other) => (one.store < other.store ? -1 : 1));
  const leaves = present.map(({ path: [leaf = ''] }) => Buffer.from(leaf, 'hex'));
  const isComplete = present.length > 0 && merkleRoot(leaves).toString('hex') === present[0]?.appHash;
  report(`${present.length} stores${isComplete ? ', which are all of the chain' : '; the chain has others, too'}`);
  const roots = new Map<string, readonly string[]>();
  for (const { store } of present)
    roots.set(store, await mapAll(heights, async (height) => (await proofAt(store, height))?.root ?? `none at ${height}`));
  report(`roots at ${heights.length} heights, ${from} to ${to}`);

  /** The response; undefined if the application refuses the request. */
  const ask = async (path: string, request: Uint8Array, height: bigint): Promise<Uint8Array | undefined> =>
    client
      .call(
        'abci_query',
        { path, data: Buffer.from(request).toString('hex'), height: height.toString(), prove: false },
        { height, decode: (result) => decodeAbciReply(result, height).value ?? new Uint8Array() },
      )
      .catch((error: unknown) => {
        if (isChainError(error, 'ABCI_QUERY_FAILED')) return undefined;
        throw error;
      });

  const described = pool.services.filter((name) => isQueryService(name) && name.endsWith('.Query'));
  const served = await servedServices(
    client,
    described.flatMap((name) => pool.service(name) ?? []),
    undefined,
  );
  const methods = [...served].flatMap((name) => methodsOf(pool, name).filter((method) => !isLiveMethod(name, method.name)));
  const values = createValues();
  const pathOf = ({ parent, name }: DescMethodUnary): string => `/${parent.typeName}/${name}`;
  await mapAll(heights, async (height) => {
    const results = await client.call('block_results', { height: height.toString() }, { height });
    const lists = [asObject(results, 'block_results').txs_results];
    for (const event of lists.flat().flatMap((tx) => (isJsonObject(tx) && Array.isArray(tx.events) ? tx.events : [])))
      if (isJsonObject(event) && Array.isArray(event.attributes))
        for (const each of event.attributes)
          if (isJsonObject(each) && typeof each.key === 'string') values.harvest(each.key, each.value ?? null);
  });
  const accepted = new Map<string, Map<string, Uint8Array>>();
  for (let round = 0; round < 3; round += 1)
    await mapAll(methods, async (method) => {
      const requests = accepted.get(pathOf(method)) ?? new Map<string, Uint8Array>();
      accepted.set(pathOf(method), requests);
      for (const request of requestsOf(method, values)) {
        const key = Buffer.from(request).toString('hex');
        const answer = requests.has(key) ? undefined : await ask(pathOf(method), request, to);
        if (answer === undefined) continue;
        requests.set(key, request);
        values.harvest('', messageJson(pool.registry, method.output, answer));
      }
    });
  const requests = [...accepted].flatMap(([path, all]) => [...all.values()].map((request) => ({ path, request })));
  report(`${methods.length} methods, ${requests.length} requests`);
  const answers = new Map<string, Answers[]>(methods.map((method) => [pathOf(method), []]));
  for (const { path, request } of requests)
    answers.get(path)?.push(
      await mapAll(heights, async (height) => {
        const answer = await ask(path, request, height);
        return answer && createHash('sha256').update(answer).digest('base64');
      }),
    );
  const sdkVersion = await readSdkVersion(client, ask, to);
  return {
    ...{ application, sdkVersion, from, to, roots, isComplete, answers },
    sdk: /(\d+\.\d+)/.exec(sdkVersion)?.[1] ?? '',
    timeless: new Set(methods.filter(({ output }) => !mayContainTime(output)).map(pathOf)),
  };
}

/** The version of the Cosmos SDK that the node reports; empty if it reports none. */
async function readSdkVersion(
  client: Client,
  ask: (path: string, request: Uint8Array, height: bigint) => Promise<Uint8Array | undefined>,
  height: bigint,
): Promise<string> {
  const { registry } = await client.descriptors.pool();
  const method = registry.getService('cosmos.base.tendermint.v1beta1.Service')?.method.getNodeInfo;
  if (method === undefined) return '';
  const { input, output } = method;
  const answer = await ask(
    '/cosmos.base.tendermint.v1beta1.Service/GetNodeInfo',
    toBinary(input, create<DescMessage>(input)),
    height,
  );
  if (answer === undefined) return '';
  const json: JsonValue = messageJson(registry, output, answer);
  const { cosmosSdkVersion } = objectAt(asObject(json, 'node info'), 'applicationVersion');
  return typeof cosmosSdkVersion === 'string' ? cosmosSdkVersion : '';
}
