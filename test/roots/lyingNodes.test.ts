import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { DevnetNode } from '../../packages/devnet/src/node/node.ts';
import { asObject, type JsonObject, type JsonValue, objectAt } from '../../src/chain/wire/json.ts';
import { MsgSendSchema } from '../../src/proto/cosmos/bank/v1beta1/tx_pb.js';
import { runsAll, some } from '../support/atRandom.ts';
import { any, startChain, type TestChain } from '../support/chain.ts';
import { type Stack, startStack } from '../support/stack.ts';
import { askAt, rootsKnown, rootsTried } from './heights.ts';

let chain: TestChain;
let stele: Stack;

beforeEach(async () => {
  chain = await startChain({ bare: true, nodes: 2 });
});

afterEach(async () => {
  await stele.close();
  await chain.devnet.close();
});

const balance = (alias = 'balance'): string =>
  `{ account(address: "${chain.accounts[1]!.address}") { asOfHeight ${alias}: balance(denom: "nhash") { amount } } }`;

const start = 10n ** 15n;

/** The data of {@link balance} after this many transfers. */
function expected(height: bigint, transfers: number, alias = 'balance'): string {
  const amount = String(start + BigInt(transfers));
  return JSON.stringify({ account: { asOfHeight: height.toString(), [alias]: { amount } } });
}

/** Makes a block, with a transfer or empty, and waits until the server has it. */
async function nextBlock({ transfer = false } = {}): Promise<bigint> {
  const [from, to] = chain.accounts;
  const amount = [{ denom: 'nhash', amount: '1' }];
  if (transfer) await chain.submit(from!, any(MsgSendSchema, { fromAddress: from!.address, toAddress: to!.address, amount }));
  const height = await chain.devnet.commit();
  await stele.client.head.waitFor(height, { milliseconds: 30_000 });
  return height;
}

/** Starts the server over these nodes, and makes blocks until it has requested roots: it reads the application's version first. */
async function startOver(...nodes: readonly DevnetNode[]): Promise<number> {
  stele = await startStack(nodes.map(({ url }) => url));
  await stele.client.head.ready();
  for (;;) {
    const { learnt, failed } = stele.client.roots.stats();
    if (learnt + failed > 0) return learnt + failed;
    await nextBlock();
    await askAt(stele, '{ head { height } }');
  }
}

/** The result of a call for the proof of a root, and the height that it names; undefined for other calls. */
function proofCall(params: JsonValue | undefined): { readonly params: JsonObject; readonly height: bigint } | undefined {
  const asked = asObject(params, 'params');
  return asked.prove === true ? { params: asked, height: BigInt(String(asked.height)) } : undefined;
}

/** The proof operations of the state at a height, as a node prints them. */
function proofAt(params: JsonObject, height: bigint): JsonValue {
  const answer = chain.devnet.application.query({
    path: String(params.path),
    data: Buffer.from(String(params.data), 'hex'),
    height,
    prove: true,
    latestHeight: height,
    earliestHeight: 1n,
  });
  const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
  const ops = (answer.proofOps ?? []).map(({ type, key, data }) => ({ type, key: base64(key), data: base64(data) }));
  return { ops };
}

/** Makes a node return other proofs of roots. */
function forgeProofs(node: DevnetNode, forge: (params: JsonObject, height: bigint, ops: JsonValue) => JsonValue): void {
  node.faults.forge = ({ method, params }, result) => {
    const call = method === 'abci_query' ? proofCall(params) : undefined;
    if (call === undefined) return result;
    const response = objectAt(asObject(result, 'result'), 'response');
    return { response: { ...response, proofOps: forge(call.params, call.height, response.proofOps ?? null) } };
  };
}

/** Changes a byte in the data of the last proof operation: at `at` from its start, or from its end if negative. */
function changeByte(ops: JsonValue, at: number): JsonValue {
  const list = (ops as { ops: { data: string }[] }).ops;
  const changed = list.map((op, index) => {
    if (index < list.length - 1) return op;
    const bytes = Buffer.from(op.data, 'base64');
    const place = at < 0 ? bytes.length + at : at;
    bytes[place] = bytes[place]! ^ 1;
    return { ...op, data: bytes.toString('base64') };
  });
  return { ops: changed };
}

async function lastErrors(): Promise<Record<string, string | null>> {
  const { body } = await stele.ask('{ nodes { alias lastError } }');
  const { nodes } = body.data as { nodes: { alias: string; lastError: string | null }[] };
  return Object.fromEntries(nodes.map(({ alias, lastError }) => [alias, lastError]));
}

describe('proofs that do not lead to the app hash of the block', () => {
  it.each<readonly [string, Parameters<typeof forgeProofs>[1]]>(
    some(
      [
        // The name of the store is before its root, which is before the rest of the proof.
        ['another root', (_, __, ops) => changeByte(ops, 20)],
        ['a proof that does not verify', (_, __, ops) => changeByte(ops, -1)],
        ['a proof of another height', (params, height) => proofAt(params, height > 2n ? height - 1n : height)],
      ],
      2,
    ),
  )('are refused, and every answer is right: %s', async (_, forge) => {
    const [liar, honest] = chain.devnet.nodes;
    let refused = 0;
    forgeProofs(liar!, (...call) => {
      refused += 1;
      return forge(...call);
    });
    const tried = await startOver(liar!, honest!);
    let transfers = 0;
    for (let count = 0; count < 12; count += 1) {
      const transfer = count % 3 === 2;
      if (transfer) transfers += 1;
      const height = await nextBlock({ transfer });
      // Some requests arrive before the proofs.
      if (count % 2 === 0) expect(await askAt(stele, balance())).toMatchObject({ data: expected(height, transfers) });
      await rootsTried(stele, tried + count + 1);
      expect(await askAt(stele, balance())).toMatchObject({ data: expected(height, transfers) });
    }
    expect(refused).toBeGreaterThan(2);
    expect(stele.client.roots.stats().failed).toBeGreaterThan(0);
    expect(await lastErrors()).toMatchObject({ 'node-1': 'NODE_INVALID_RESPONSE', 'node-2': null });
  });
});

describe('a block result with a forged app hash, and proofs that match it', () => {
  it.runIf(runsAll)(
    'is believed until the next header refutes it; then everything that was stored under it is dropped, and the node is marked',
    async () => {
      const [liar, honest] = chain.devnet.nodes;
      stele = await startStack([liar!.url, honest!.url]);
      await stele.client.head.ready();
      await askAt(stele, balance());
      await rootsKnown(stele, await nextBlock());
      await askAt(stele, balance());
      const before = await nextBlock();
      await rootsKnown(stele, before);
      expect(await askAt(stele, balance())).toMatchObject({ data: expected(before, 0), source: 'carried' });

      // The node hides the change of a transfer: its roots at this height are those before it.
      const height = before + 1n;
      liar!.faults.forgeBlock = (committed) => {
        const { header } = committed.block;
        return header.height === height
          ? { ...committed, result: { ...committed.result, appHash: header.appHash } }
          : committed;
      };
      forgeProofs(liar!, (params, at, ops) => (at === height ? proofAt(params, before) : ops));
      expect(await nextBlock({ transfer: true })).toBe(height);
      await rootsKnown(stele, height);
      const lie = expected(height, 0);
      expect(await askAt(stele, balance())).toEqual({ data: lie, height: height.toString(), source: 'carried' });
      // An execution reads the stored response of the height before.
      expect(await askAt(stele, balance('again'))).toMatchObject({ data: expected(height, 0, 'again'), source: 'made' });

      const next = await nextBlock();
      const truth = expected(height, 1);
      expect(await askAt(stele, balance(), height)).toEqual({ data: truth, height: height.toString(), source: 'made' });
      expect(await askAt(stele, balance('again'), height)).toMatchObject({
        data: expected(height, 1, 'again'),
        source: 'made',
      });
      expect(await askAt(stele, balance())).toMatchObject({ data: expected(next, 1) });
      expect(await askAt(stele, balance(), before)).toMatchObject({ data: expected(before, 0) });
      await expect.poll(lastErrors).toMatchObject({ 'node-1': 'NODE_INVALID_RESPONSE', 'node-2': null });
      expect(stele.client.roots.stats().refuted).toBe(1);

      // The next blocks are carried again.
      const later = [await nextBlock(), await nextBlock()] as const;
      await rootsKnown(stele, later[1]);
      await askAt(stele, balance());
      const last = await nextBlock();
      await rootsKnown(stele, last);
      expect(await askAt(stele, balance())).toMatchObject({ data: expected(last, 1), source: 'carried' });
    },
  );
});

describe('state without proofs', () => {
  it.each<readonly [string, (node: DevnetNode) => void]>(
    some(
      [
        [
          'a node that refuses proofs',
          ({ faults }) => {
            faults.call = ({ method, params }) =>
              method === 'abci_query' && proofCall(params) !== undefined
                ? { abci: { code: 1, codespace: 'proxy', log: 'proofs are disabled' } }
                : undefined;
          },
        ],
        ['a node that returns no proof operations', (node) => forgeProofs(node, () => null)],
      ],
      2,
    ),
  )('is read by height: %s', async (_, disable) => {
    for (const node of chain.devnet.nodes) disable(node);
    const tried = await startOver(chain.node);
    for (let count = 0; count < 8; count += 1) {
      const height = await nextBlock({ transfer: count === 4 });
      await rootsTried(stele, tried + count + 1);
      const transfers = count < 4 ? 0 : 1;
      expect(await askAt(stele, balance())).toMatchObject({ data: expected(height, transfers), source: 'made' });
      expect(await askAt(stele, balance())).toMatchObject({ data: expected(height, transfers), source: 'kept' });
    }
    expect(stele.client.roots.stats()).toMatchObject({ learnt: 0, heights: 0 });
    expect(await lastErrors()).toEqual({ 'node-1': null });
  });

  it('is read by height: height 1', async () => {
    stele = await startStack([chain.node.url]);
    await stele.client.head.ready();
    expect(await askAt(stele, balance())).toMatchObject({ data: expected(1n, 0), source: 'made' });
    expect(await askAt(stele, balance())).toMatchObject({ data: expected(1n, 0), source: 'kept' });
    const second = await nextBlock();
    await rootsKnown(stele, second);
    expect(await askAt(stele, balance())).toMatchObject({ data: expected(2n, 0), source: 'made' });
    expect(await askAt(stele, balance(), 1n)).toMatchObject({ data: expected(1n, 0), source: 'kept' });
    expect(stele.client.roots.timeAt(1n)).toBeUndefined();
  });
});
