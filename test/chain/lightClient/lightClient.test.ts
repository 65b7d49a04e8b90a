import { describe, expect, it } from 'vitest';
import { isChainError } from '../../../src/chain/base/errors.ts';
import {
  createLightClient,
  type Evidence,
  type LightClientOptions,
  type TrustRecord,
} from '../../../src/chain/lightClient/lightClient.ts';
import { verifiedNodes } from '../../../src/chain/lightClient/verifiedNodes.ts';
import { fallback } from '../../../src/chain/transports/fallback.ts';
import type { Transport } from '../../../src/chain/transports/transport.ts';
import { decodeStatus, type HeadBlock, newBlockQuery } from '../../../src/chain/wire/block.ts';
import type { JsonObject, JsonValue } from '../../../src/chain/wire/json.ts';
import { recording } from '../../recordings/recording.ts';
import { runsAll } from '../../support/atRandom.ts';
import { forgedChain, hashOf, type RecordedNode, recordedNode, type StoredBlock } from './recordedNodes.ts';

/** The recorded chain with several validators, as nodes store it. */
function recordedBlocks(): readonly StoredBlock[] {
  interface Row {
    readonly commit: { readonly signed_header: StoredBlock['signedHeader'] };
    readonly validators: { readonly validators: readonly JsonValue[] };
    readonly txs: readonly JsonValue[] | null;
  }
  return recording<{ readonly heights: readonly Row[] }>('light-chain').heights.map(({ commit, validators, txs }) => ({
    signedHeader: commit.signed_header,
    validators: validators.validators,
    txs: txs ?? [],
  }));
}

const recordedStart = Date.parse('2026-11-23T07:53:24Z');

/** A light client over nodes, with what it has reported. */
function over(nodes: readonly RecordedNode[], options: Partial<LightClientOptions> = {}) {
  const evidence: Evidence[] = [];
  const conflicts: bigint[] = [];
  let record: TrustRecord | undefined;
  let trusts = 0;
  const light = createLightClient({
    now: () => recordedStart + 3_600_000,
    onEvidence: (one) => evidence.push(one),
    onTrust: () => {
      trusts += 1;
    },
    keep: (kept) => {
      record = kept;
    },
    ...options,
  });
  light.onConflict((height) => conflicts.push(height));
  const transports = verifiedNodes(
    light,
    nodes.map(({ transport }) => transport),
  );
  return { light, transports, evidence, conflicts, record: () => record, trusts: () => trusts };
}

const statusOf = (transport: Transport | undefined) => transport!.call('status', {}, { decode: decodeStatus });

const outcomeOf = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'ok',
    (error: unknown) => (isChainError(error) ? error.code : String(error)),
  );

/** Follows the events of a node. */
function follow(transport: Transport | undefined) {
  const heights: bigint[] = [];
  let wake = (): void => undefined;
  let error: Error | undefined;
  let hasEnded = false;
  transport!.subscribe(newBlockQuery, {
    event(_, block?: HeadBlock) {
      if (block !== undefined) heights.push(block.height);
      wake();
    },
    end(reason) {
      error = reason;
      hasEnded = true;
      wake();
    },
  });
  return {
    heights,
    error: () => error,
    hasEnded: () => hasEnded,
    async until(height: bigint): Promise<void> {
      while (heights.at(-1) !== height && !hasEnded)
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    },
  };
}

describe('the light client of the server', () => {
  it('verifies every new block of a chain whose validators change, with one call a block', async () => {
    const node = recordedNode('node-1', recordedBlocks(), 1);
    const { light, transports, evidence, trusts } = over([node]);
    const events = follow(transports[0]);
    await statusOf(transports[0]);
    for (node.height = 2; node.height <= 112; node.height += 1) {
      node.emit();
      await events.until(BigInt(node.height));
    }
    expect(events.heights).toEqual(Array.from({ length: 111 }, (_, index) => BigInt(index + 2)));
    expect(evidence).toEqual([]);
    expect([light.status().state, light.status().verified, trusts()]).toEqual(['VERIFIED', 112, 1]);
    // The sets of the recording change eight times. Nothing is read for a set that is known.
    expect(node.calls).toMatchObject({ commit: 112 });
    expect(node.calls.validators).toBeLessThan(15);
    const verification = light.at(112n)!;
    expect(verification.signedPower * 3n).toBeGreaterThan(verification.totalPower * 2n);
    expect([verification.totalPower, verification.trustedFrom.height]).toEqual([987n, 1n]);
    // A status and an event of a verified block need no call.
    const before = node.calls.commit;
    node.height = 112;
    await statusOf(transports[0]);
    expect(node.calls.commit).toBe(before);
  });

  it('skips the blocks that it missed, and continues from the trust of an earlier start', async () => {
    const node = recordedNode('node-1', recordedBlocks(), 3);
    const first = over([node]);
    await statusOf(first.transports[0]);
    first.light.close();
    node.height = 112;
    const { calls } = node;
    const before = calls.commit ?? 0;
    // Blocks in between need not be there.
    for (let height = 4; height < 112; height += 1) node.blocks.delete(height);
    const second = over([node], { load: (chainId) => (chainId === 'facts-net-1' ? first.record() : undefined) });
    await statusOf(second.transports[0]);
    expect(second.light.at(112n)).toMatchObject({ height: 112n, trustedFrom: { height: 3n } });
    expect((calls.commit ?? 0) - before).toBe(1);
    expect(second.trusts()).toBe(0);
  });

  it('begins with the block of the operator', async () => {
    const blocks = recordedBlocks();
    const node = recordedNode('node-1', blocks);
    const hash = hashOf(blocks[49]!);
    const { light, transports } = over([node], { checkpoint: { height: 50n, hash } });
    await statusOf(transports[0]);
    expect(light.at(112n)?.trustedFrom).toEqual({ height: 50n, hash });
    // A node with another block at that height is not used, and is reported once.
    const wrong = over([node], { checkpoint: { height: 50n, hash: hashOf(blocks[48]!) } });
    for (const _ of [1, 2, 3]) expect(await outcomeOf(statusOf(wrong.transports[0]))).toBe('NODE_INVALID_RESPONSE');
    expect(wrong.evidence).toMatchObject([{ kind: 'REFUSED', code: 'WRONG_HASH', height: 50n, node: 'node-1' }]);
    expect(wrong.light.status().refused.get('node-1')).toBe(3);
  });

  it('trusts the first block only if most of the nodes have it', async () => {
    const start = recordedStart;
    const [one, other] = [1, 1].map((validators) => forgedChain({ validators, count: 3, start }));
    const nodes = [other!, one!, one!].map(({ blocks }, index) => recordedNode(`node-${index + 1}`, blocks));
    const { light, transports } = over(nodes);
    expect(await outcomeOf(statusOf(transports[0]))).toBe('NODE_INCONSISTENT');
    expect(await outcomeOf(statusOf(transports[1]))).toBe('ok');
    expect(light.at(3n)?.hash).toBe(hashOf(one!.blocks[2]!));
    // From then on, the majority does not count: the node stays refused.
    expect(await outcomeOf(statusOf(transports[0]))).toBe('NODE_INVALID_RESPONSE');
  });

  it.each<[name: string, code: string, change: (blocks: StoredBlock[]) => void]>([
    [
      'a forged header',
      'WRONG_HASH',
      (blocks) =>
        forge(blocks, (block) => ({
          ...block,
          signedHeader: { ...block.signedHeader, header: { ...block.signedHeader.header, app_hash: 'AB'.repeat(32) } },
        })),
    ],
    [
      'a commit with too few signatures',
      'TOO_LITTLE_POWER',
      (blocks) => forge(blocks, (block) => withVotes(block, (vote, index) => (index < 2 ? absent : vote))),
    ],
    [
      'a forged signature',
      'WRONG_SIGNATURE',
      (blocks) =>
        forge(blocks, (block) =>
          withVotes(block, (vote, index) =>
            index === 0 ? { ...vote, signature: Buffer.alloc(64, 1).toString('base64') } : vote,
          ),
        ),
    ],
    [
      'a validator set with another power',
      'WRONG_HASH',
      (blocks) => {
        // A set that is not known yet: the next one is at 30.
        blocks[29] = {
          ...blocks[29]!,
          validators: blocks[29]!.validators.map((one, index) =>
            index === 0 && typeof one === 'object' ? { ...one, voting_power: '9999' } : one,
          ),
        };
      },
    ],
    [
      'a header that is no header',
      'MALFORMED',
      (blocks) =>
        forge(blocks, (block) => ({
          ...block,
          signedHeader: { ...block.signedHeader, header: { ...block.signedHeader.header, time: 'yesterday' } },
        })),
    ],
  ])('refuses %s, with evidence, and uses the node again when it returns what is true', async (_, code, change) => {
    const sound = recordedBlocks();
    const changed = [...sound];
    change(changed);
    const node = recordedNode('node-1', sound, 29);
    const { light, transports, evidence } = over([node]);
    const events = follow(transports[0]);
    await statusOf(transports[0]);
    // The hash that the event reports is the true one, so that the commit alone is wrong.
    node.height = 30;
    node.blocks.set(30, { ...sound[29]!, ...changed[29]!, signedHeader: changed[29]!.signedHeader });
    node.emit((value) => ({
      ...value,
      block_id: sound[29]!.signedHeader.commit.block_id!,
      block: { header: sound[29]!.signedHeader.header, data: { txs: [...(sound[29]!.txs ?? [])] } },
    }));
    await events.until(30n);
    expect(events.heights).toEqual([]);
    expect(isChainError(events.error(), 'NODE_INVALID_RESPONSE')).toBe(true);
    expect(evidence).toMatchObject([{ kind: 'REFUSED', code, height: 30n, node: 'node-1', hash: hashOf(sound[29]!) }]);
    expect(evidence[0]!.trusted?.signedHeader).toEqual(sound[28]!.signedHeader);
    expect(light.at(30n)).toBeUndefined();
    // It is put aside: nothing of it is used.
    expect(await outcomeOf(transports[0]!.call('abci_info', {}, { decode: (json) => json }))).toBe('NODE_INVALID_RESPONSE');
    node.blocks.set(30, sound[29]!);
    expect(await outcomeOf(statusOf(transports[0]))).toBe('ok');
    expect(light.status().state).toBe('VERIFIED');
    expect(await outcomeOf(transports[0]!.call('validators', { height: '30' }, { decode: (json) => json }))).toBe('ok');
  });

  it('refuses an event whose header, transactions or time are not those of its hash', async () => {
    const node = recordedNode('node-1', recordedBlocks(), 29);
    const { transports, evidence } = over([node]);
    await statusOf(transports[0]);
    node.height = 30;
    const changes: readonly ((value: JsonObject) => JsonObject)[] = [
      (value) =>
        withBlock(value, (block) => ({ ...block, header: { ...(block.header as JsonObject), app_hash: 'AB'.repeat(32) } })),
      (value) => withBlock(value, (block) => ({ ...block, data: { txs: ['AAAA'] } })),
    ];
    for (const change of changes) {
      const events = follow(transports[0]);
      node.emit(change);
      await events.until(30n);
      expect([events.heights, events.hasEnded()]).toEqual([[], true]);
      await statusOf(transports[0]);
    }
    expect(evidence.map(({ code, height }) => [code, height])).toEqual([['WRONG_HASH', 30n]]);
    const header = { ...node.blocks.get(30)!.signedHeader.header, time: '2026-11-23T09:00:00Z' };
    const inner = node.transport.call;
    Object.assign(node.transport, { call: inner });
    const late = verifiedNodes(over([node]).light, [
      {
        ...node.transport,
        call: (method, params, options) =>
          inner(method, params, {
            ...options,
            decode: (json) =>
              options.decode(
                method === 'status'
                  ? {
                      ...(json as JsonObject),
                      sync_info: { ...((json as JsonObject).sync_info as JsonObject), latest_block_time: header.time },
                    }
                  : json,
              ),
          }),
      },
    ]);
    expect(await outcomeOf(statusOf(late[0]))).toBe('NODE_INVALID_RESPONSE');
  });

  it('never accepts a forged block, whatever most of the nodes report', async () => {
    const start = recordedStart;
    const chain = forgedChain({ validators: 1, count: 6, start });
    const liars = forgedChain({ validators: 1, count: 6, start });
    const nodes = [chain, chain, chain].map(({ blocks }, index) => recordedNode(`node-${index + 1}`, blocks, 4));
    const { transports, evidence } = over(nodes);
    const upstream = fallback(transports, { probeInterval: 20 });
    const read = () => upstream.call('status', {}, { decode: decodeStatus });
    expect((await read()).newest.height).toBe(4n);
    for (const node of nodes.slice(1)) {
      node.blocks.set(5, liars.next(chain.blocks[3]!));
      node.height = 5;
    }
    nodes[0]!.height = 5;
    await expect
      .poll(() => read().then(() => evidence.map(({ node }) => node).toSorted()), { interval: 5 })
      .toEqual(['node-2', 'node-3']);
    for (let count = 0; count < 20; count += 1) expect((await read()).newest.hash).toBe(hashOf(chain.blocks[4]!));
    await upstream.close();
  });

  it('stops when the validators sign two blocks at a height', async () => {
    const chain = forgedChain({ validators: 4, count: 5, start: recordedStart });
    const nodes = [1, 2].map((index) => recordedNode(`node-${index}`, chain.blocks, 4));
    const { light, transports, evidence, conflicts } = over(nodes);
    for (const transport of transports) await statusOf(transport);
    for (const node of nodes) node.height = 5;
    expect(await outcomeOf(statusOf(transports[0]))).toBe('ok');
    const fork = chain.next(chain.blocks[3]!, { app_hash: 'AB'.repeat(32) });
    nodes[1]!.blocks.set(5, fork);
    expect(await outcomeOf(statusOf(transports[1]))).toBe('NODE_INVALID_RESPONSE');
    expect(conflicts).toEqual([5n]);
    expect(light.status().state).toBe('CONFLICT');
    expect(evidence).toMatchObject([{ kind: 'CONFLICT', code: 'CONFLICT', node: 'node-2', height: 5n, hash: hashOf(fork) }]);
    expect([evidence[0]!.received, evidence[0]!.trusted?.signedHeader]).toEqual([
      fork.signedHeader,
      chain.blocks[4]!.signedHeader,
    ]);
    // No block is accepted after that.
    nodes[0]!.blocks.set(6, chain.next(chain.blocks[4]!));
    nodes[0]!.height = 6;
    expect(await outcomeOf(statusOf(transports[0]))).toBe('NODE_INCONSISTENT');
  });

  it('stops when the next block does not follow the verified one', async () => {
    const chain = forgedChain({ validators: 4, count: 5, start: recordedStart });
    const node = recordedNode('node-1', chain.blocks, 4);
    const { transports, conflicts } = over([node]);
    await statusOf(transports[0]);
    const fork = chain.next(chain.blocks[2]!, { app_hash: 'AB'.repeat(32) });
    node.blocks.set(5, chain.next(fork));
    node.height = 5;
    expect(await outcomeOf(statusOf(transports[0]))).toBe('NODE_INVALID_RESPONSE');
    expect(conflicts).toEqual([5n]);
  });

  it('does not blame a node that does not respond', async () => {
    const node = recordedNode('node-1', recordedBlocks(), 29);
    const { transports, evidence } = over([node]);
    await statusOf(transports[0]);
    node.height = 30;
    node.isSilent = true;
    expect(await outcomeOf(statusOf(transports[0]))).toBe('NODE_TIMEOUT');
    expect(evidence).toEqual([]);
    // Its other calls are not refused.
    expect(await outcomeOf(transports[0]!.call('validators', { height: '29' }, { decode: (json) => json }))).toBe('ok');
    node.isSilent = false;
    expect(await outcomeOf(statusOf(transports[0]))).toBe('ok');
  });

  it('lets a node that is behind report its height, but not an old height as the newest one', async () => {
    const nodes = [112, 40].map((height, index) => recordedNode(`node-${index + 1}`, recordedBlocks(), height));
    const { light, transports, record } = over(nodes);
    expect(await outcomeOf(statusOf(transports[0]))).toBe('ok');
    expect(await outcomeOf(statusOf(transports[1]))).toBe('ok');
    light.close();
    const later = over(nodes, { load: record });
    expect(await outcomeOf(statusOf(later.transports[1]))).toBe('HEIGHT_NOT_YET_AVAILABLE');
    expect(later.evidence).toEqual([]);
  });

  it('tells a chain that began again from its predecessor', async () => {
    const chain = forgedChain({ validators: 1, count: 9, start: recordedStart });
    const successor = forgedChain({ validators: 1, count: 9, start: recordedStart + 60_000 });
    const node = recordedNode('node-1', chain.blocks, 8);
    const strict = over([node]);
    const lenient = over([node], { followsResets: true });
    for (const { transports } of [strict, lenient]) await statusOf(transports[0]);
    for (const [index, block] of successor.blocks.entries()) node.blocks.set(index + 1, block);
    node.height = 3;
    expect(await outcomeOf(statusOf(strict.transports[0]))).toBe('NODE_INVALID_RESPONSE');
    expect(strict.light.status().state).toBe('OTHER_CHAIN');
    expect(strict.evidence[0]!.reason).toContain('the chain began again');
    expect(await outcomeOf(statusOf(lenient.transports[0]))).toBe('ok');
    expect([lenient.light.status().state, lenient.trusts()]).toEqual(['VERIFIED', 2]);
    expect(lenient.light.at(3n)?.hash).toBe(hashOf(successor.blocks[2]!));
  });

  it('begins without the nodes of another chain, whichever of them responds first', async () => {
    const others = [1, 2].map((index) => {
      const chain = forgedChain({ validators: 1, count: 60, start: recordedStart, chainId: `other-${index}` });
      return recordedNode(`other-${index}`, chain.blocks);
    });
    const node = recordedNode('node-1', recordedBlocks(), 60);
    const { light, transports, evidence } = over([...others, node], { chainId: 'facts-net-1' });
    // With the id of the chain, statuses of other chains pass, so that the pool of nodes recognises them.
    const heights = await Promise.all(transports.map(async (transport) => (await statusOf(transport)).newest.height));
    expect(heights).toEqual([60n, 60n, 60n]);
    expect([light.status().state, light.at(60n)?.hash]).toEqual(['VERIFIED', hashOf(recordedBlocks()[59]!)]);
    expect([evidence, light.status().verified]).toEqual([[], 1]);
    // Without the id, the first block that verifies decides, as it does in the pool.
    const unnamed = over([node, ...others]);
    await Promise.all(unnamed.transports.map(statusOf));
    expect([unnamed.light.status().state, unnamed.light.at(60n)?.hash]).toEqual(['VERIFIED', hashOf(recordedBlocks()[59]!)]);
    expect(unnamed.evidence).toEqual([]);
  });

  it('begins with the commit of another node if one has none, and verifies its blocks with it', async () => {
    const [old, node] = [recordedNode('old', recordedBlocks(), 60), recordedNode('node', recordedBlocks(), 61)];
    old.hasNoCommits = true;
    const { light, transports, evidence } = over([old, node], { isRequired: false });
    await statusOf(transports[0]);
    expect([light.status().state, light.at(60n)?.hash]).toEqual(['VERIFIED', hashOf(recordedBlocks()[59]!)]);
    await statusOf(transports[1]);
    old.height = 61;
    await statusOf(transports[0]);
    old.height = 62;
    node.height = 62;
    await statusOf(transports[0]);
    expect([light.status().verified, light.status().newest?.height, evidence]).toEqual([3, 62n, []]);
  });

  it('lets blocks pass unverified only until one was verified, and only if the operator has not asked for the verification', async () => {
    const node = recordedNode('node-1', recordedBlocks(), 60);
    node.hasNoCommits = true;
    const required = over([node]);
    expect(await outcomeOf(statusOf(required.transports[0]))).toBe('RPC_ERROR');
    expect(required.light.admits({ height: 60n, hash: hashOf(recordedBlocks()[59]!) })).toBe(false);

    const reasons: string[] = [];
    const options = { isRequired: false, onUnavailable: (reason: string) => reasons.push(reason) };
    const { light, transports, evidence, record } = over([node], options);
    const calls = node.calls.commit;
    for (node.height = 60; node.height <= 65; node.height += 1) expect(await outcomeOf(statusOf(transports[0]))).toBe('ok');
    node.height = 65;
    expect([light.status().state, light.at(65n), light.status().newest]).toEqual(['UNAVAILABLE', undefined, undefined]);
    expect(light.admits({ height: 65n, hash: hashOf(recordedBlocks()[64]!) })).toBe(true);
    // The node is asked once a minute, and the log has one line.
    expect([node.calls.commit! - calls!, reasons.length, evidence]).toEqual([1, 1, []]);

    // A node with commits: the verification begins, and there is no way back.
    node.hasNoCommits = false;
    const later = over([recordedNode('node-2', recordedBlocks(), 65)], options);
    await statusOf(later.transports[0]);
    expect(later.light.status().state).toBe('VERIFIED');
    node.hasNoCommits = true;
    const again = over([node], { ...options, load: later.record });
    expect(await outcomeOf(statusOf(again.transports[0]))).toBe('ok');
    node.height = 66;
    expect(await outcomeOf(statusOf(again.transports[0]))).toBe('RPC_ERROR');
    expect(again.light.admits({ height: 66n, hash: hashOf(recordedBlocks()[65]!) })).toBe(false);
    expect(record()).toBeUndefined();
  });

  it('does not let blocks pass that are signed wrongly, although the verification is not required', async () => {
    const chain = forgedChain({ validators: 4, count: 3, start: recordedStart });
    const blocks = chain.blocks.map((block) => structuredClone(block));
    const signatures = blocks[2]!.signedHeader.commit.signatures as JsonObject[];
    for (const vote of signatures) vote.signature = signatures[0]!.signature!;
    const node = recordedNode('node-1', blocks);
    const { light, transports, evidence } = over([node], { isRequired: false });
    expect(await outcomeOf(statusOf(transports[0]))).toBe('NODE_INVALID_RESPONSE');
    expect([light.status().state, evidence[0]?.code]).toEqual(['STARTING', 'WRONG_SIGNATURE']);
  });

  it('needs a newer block after the trusting period', async () => {
    const node = recordedNode('node-1', recordedBlocks(), 29);
    let time = recordedStart + 3_600_000;
    const { light, transports, evidence } = over([node], { now: () => time, trustingPeriod: 7_200_000_000_000n });
    await statusOf(transports[0]);
    time += 7_200_000;
    node.height = 30;
    expect(await outcomeOf(statusOf(transports[0]))).toBe('NODE_INVALID_RESPONSE');
    expect([light.status().state, evidence]).toEqual(['EXPIRED', []]);
  });

  it.runIf(runsAll)('takes at most 3 ms of CPU time for a block of 100 validators', async () => {
    // As on the public network of Provenance, 18 of 100 validators have two thirds of the power.
    const chain = forgedChain({ validators: 100, count: 31, start: recordedStart, power: (index) => (index < 18 ? 40 : 4) });
    const node = recordedNode('node-1', chain.blocks, 1);
    const { light, transports } = over([node]);
    await statusOf(transports[0]);
    const times: number[] = [];
    for (node.height = 2; node.height <= 31; node.height += 1) {
      // The status itself computes a hash for the test.
      const before = process.cpuUsage();
      await statusOf(transports[0]);
      const { user, system } = process.cpuUsage(before);
      times.push((user + system) / 1_000);
    }
    const [least = 0] = times.toSorted((one, other) => one - other);
    const middle = times.toSorted((one, other) => one - other)[15] ?? 0;
    console.log(
      `CPU of a block of 100 validators (18 signatures): least ${least.toFixed(2)} ms, median ${middle.toFixed(2)} ms`,
    );
    expect(light.at(31n)).toMatchObject({ signedPower: 720n, totalPower: 1_048n });
    expect(least).toBeLessThan(12);
  });
});

const absent = { block_id_flag: 1, validator_address: '', timestamp: '0001-01-01T00:00:00Z', signature: null };

function forge(blocks: StoredBlock[], change: (block: StoredBlock) => StoredBlock): void {
  blocks[29] = change(blocks[29]!);
}

function withVotes(block: StoredBlock, change: (vote: JsonObject, index: number) => JsonObject): StoredBlock {
  const { commit } = block.signedHeader;
  const signatures = (commit.signatures as JsonObject[]).map(change);
  return { ...block, signedHeader: { ...block.signedHeader, commit: { ...commit, signatures } } };
}

function withBlock(value: JsonObject, change: (block: JsonObject) => JsonObject): JsonObject {
  return { ...value, block: change(value.block as JsonObject) };
}
