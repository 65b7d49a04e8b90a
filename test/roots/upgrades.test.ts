import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { afterEach, expect, it } from 'vitest';
import { createApplication } from '../../packages/devnet/src/app/application.ts';
import { createGenesis } from '../../packages/devnet/src/app/genesis/genesis.ts';
import { createDevnet, type Devnet } from '../../packages/devnet/src/devnet.ts';
import { QuerySupplyOfResponseSchema } from '../../src/proto/cosmos/bank/v1beta1/query_pb.js';
import { type Stack, startStack } from '../support/stack.ts';
import { askAt, rootsKnown } from './heights.ts';

const supply = '{ supplyOf(denom: "nhash") { amount } }';
const old = JSON.stringify({ supplyOf: { amount: String(10n ** 16n) } });
/** What the upgraded code computes from the same state. */
const upgraded = JSON.stringify({ supplyOf: { amount: '42' } });

/** A chain whose application computes the supply differently from some height on, although its bank store does not change. */
interface UpgradableChain {
  readonly devnet: Devnet;
  readonly stele: Stack;
  /** Makes a block, and waits until the server has it. With `isKnown`, also until it has its roots. */
  next(isKnown?: boolean): Promise<bigint>;
  /** The next block is the first of the new code. */
  upgrade(change: { readonly version?: string; readonly appVersion?: bigint; readonly writesStore?: boolean }): void;
}

let chain: UpgradableChain;

afterEach(async () => {
  await chain.stele.close();
  await chain.devnet.close();
});

async function startUpgradable(): Promise<UpgradableChain> {
  let firstOfNewCode = 1_000_000n;
  let [version, appVersion, writesStore]: [string | undefined, bigint, boolean] = [undefined, 0n, false];
  const base = createApplication({
    genesis: createGenesis({ bare: true }),
    modules: [
      {
        messages: [],
        queries: [],
        beginBlock(context) {
          if (writesStore && context.block.height === firstOfNewCode) context.set('upgrade', '\x01plan', Buffer.from('done'));
        },
      },
    ],
  });
  const devnet = await createDevnet({
    blockTime: 'manual',
    application: {
      ...base,
      info: () => ({ ...base.info(), ...(version !== undefined && { version }), appVersion }),
      query(input) {
        const answer = base.query(input);
        const height = input.height === 0n ? input.latestHeight : input.height;
        if (input.path !== '/cosmos.bank.v1beta1.Query/SupplyOf' || height < firstOfNewCode) return answer;
        const { amount } = fromBinary(QuerySupplyOfResponseSchema, answer.value ?? new Uint8Array());
        const changed = create(QuerySupplyOfResponseSchema, { amount: { denom: amount!.denom, amount: '42' } });
        return { ...answer, value: toBinary(QuerySupplyOfResponseSchema, changed) };
      },
    },
  });
  const stele = await startStack([devnet.nodes[0]!.url]);
  await stele.client.head.ready();
  return {
    devnet,
    stele,
    async next(isKnown = true) {
      const height = await devnet.commit();
      await stele.client.head.waitFor(height, { milliseconds: 30_000 });
      if (isKnown) await rootsKnown(stele, height);
      return height;
    },
    upgrade(change) {
      firstOfNewCode = devnet.height + 1n;
      version = change.version;
      appVersion = change.appVersion ?? 0n;
      writesStore = change.writesStore ?? false;
    },
  };
}

/** Restarts the node, as for every change of its binary. */
async function restart({ nodes: [node] }: Devnet): Promise<void> {
  await node!.stop();
  await node!.start();
}

/** Makes blocks until an answer is carried. Returns the newest height. */
async function carriedBefore({ stele, next }: UpgradableChain): Promise<bigint> {
  await askAt(stele, supply);
  for (;;) {
    const height = await next(false);
    const { data, source } = await askAt(stele, supply);
    expect(data).toBe(old);
    if (source === 'carried') return height;
  }
}

it.each<readonly [string, Parameters<UpgradableChain['upgrade']>[0], boolean]>([
  ['the version in the header changes', { appVersion: 1n }, false],
  ['the version in abci_info changes, when the node restarts', { version: 'v1.29.1' }, true],
  ['only the store of upgrades changes', { writesStore: true }, false],
])('nothing is carried over an upgrade: %s', async (_, change, restarts) => {
  chain = await startUpgradable();
  const { stele, devnet } = chain;
  const before = await carriedBefore(chain);
  chain.upgrade(change);
  if (restarts) await restart(devnet);
  const first = await chain.next();
  expect(await askAt(stele, supply)).toEqual({ data: upgraded, height: first.toString(), source: 'made' });
  // The answers before and after the upgrade are carried separately.
  const second = await chain.next();
  expect(await askAt(stele, supply)).toEqual({ data: upgraded, height: second.toString(), source: 'carried' });
  expect(await askAt(stele, supply, before)).toMatchObject({ data: old });
  expect(await askAt(stele, supply, first)).toMatchObject({ data: upgraded });
});

it('nothing is carried after an upgrade to a version that the table of stores does not hold for', async () => {
  chain = await startUpgradable();
  const { stele, devnet } = chain;
  await carriedBefore(chain);
  chain.upgrade({ version: 'v1.30.0' });
  await restart(devnet);
  for (let count = 0; count < 6; count += 1) {
    const height = await chain.next(false);
    expect(await askAt(stele, supply)).toEqual({ data: upgraded, height: height.toString(), source: 'made' });
  }
  expect(stele.client.roots.timeAt(devnet.height)).toBeUndefined();
});
