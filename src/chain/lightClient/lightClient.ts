import { fromBinary } from '@bufbuild/protobuf';
import {
  decodeHeader,
  decodeLightBlock,
  decodeValidators,
  equalBytes,
  hashHeader,
  type LightBlock,
  ProofError,
  type ProofErrorCode,
  type SignedPower,
  toHex,
  type ValidatorSet,
  verifyBetween,
  verifySigned,
  verifyStep,
} from '../../../packages/verify/src/index.ts';
import { QueryParamsResponseSchema } from '../../proto/cosmos/staking/v1beta1/query_pb.js';
import { ChainError, inconsistent, isChainError } from '../base/errors.ts';
import { parseTime, pause } from '../base/time.ts';
import { decodeAbciReply } from '../rpc/rpcErrors.ts';
import type { Transport } from '../transports/transport.ts';
import type { Checkpoint, Verification, VerificationState, VerificationStatus } from '../transports/verification.ts';
import type { HeadBlock } from '../wire/block.ts';
import { arrayAt, asObject, bigintAt, type JsonObject, type JsonValue, objectAt, textAt } from '../wire/json.ts';
import { merkleRoot, sha256 } from '../wire/merkle.ts';
import { createNodeSignatures } from './nodeSignatures.ts';

/** A node that blocks are read from. */
export interface LightNode {
  readonly alias: string;
  readonly call: Transport['call'];
}

/** A block that was verified, as nodes print it. */
export interface TrustedBlock {
  readonly signedHeader: JsonObject;
  readonly validators: readonly JsonValue[];
}

/** What a light client trusts. It is kept between starts. */
export interface TrustRecord {
  readonly chainId: string;
  /** Where the trust began. */
  readonly from: Checkpoint;
  /** Whether the operator named that block, or it was the first one that the nodes returned. */
  readonly kind: 'CHECKPOINT' | 'FIRST_USE';
  /** Nanoseconds. */
  readonly trustingPeriod: bigint;
  /** The newest verified block. */
  readonly newest: TrustedBlock;
}

/** What a node has returned that cannot be true, with the block that contradicts it. */
export interface Evidence {
  /**
   * `REFUSED`: a block that the validators did not sign. `CONFLICT`: they signed two blocks that exclude one another. `READ`: an answer about the state that the state does not have, or a wrong proof.
   */
  readonly kind: 'REFUSED' | 'CONFLICT' | 'READ';
  readonly node: string;
  readonly chainId: string;
  readonly height: bigint;
  readonly code: ProofErrorCode;
  readonly reason: string;
  /** The hash that the node reported. */
  readonly hash: string;
  /** What the node returned; undefined if it returned no header. */
  readonly received: JsonValue | undefined;
  /** The block that it was verified with. */
  readonly trusted: TrustedBlock | undefined;
}

export interface LightClientOptions {
  /** The block that the operator trusts. Without it, and without a record, the first block is trusted on which the nodes agree. */
  readonly checkpoint?: Checkpoint | undefined;
  /** Nanoseconds. Default: two thirds of the unbonding time of the chain. */
  readonly trustingPeriod?: bigint | undefined;
  /** The id of the chain. Blocks of others are left to the pool of nodes. Default: that of the first block that verifies. */
  readonly chainId?: string | undefined;
  /** Whether blocks must be verified: true. If not, a chain of which no node returns commits, or none that can be verified here, is served without verification until one does. */
  readonly isRequired?: boolean;
  /** Called when blocks cannot be verified, with the reason. */
  readonly onUnavailable?: ((reason: string) => void) | undefined;
  /** Whether a chain that begins again under the same id is trusted anew: for development. */
  readonly followsResets?: boolean;
  /** Reads what a start before this one kept. */
  readonly load?: ((chainId: string) => TrustRecord | undefined) | undefined;
  /** Keeps the trust: at its beginning, once a minute, and at the end. */
  readonly keep?: ((record: TrustRecord) => void) | undefined;
  /** Called when the trust begins. */
  readonly onTrust?: ((record: TrustRecord) => void) | undefined;
  /** Called with each refused block, once for a node and a hash. */
  readonly onEvidence?: ((evidence: Evidence) => void) | undefined;
  /** Unix time in ms. */
  readonly now?: (() => number) | undefined;
}

/** Two thirds of the unbonding time that most chains have, for a chain without the staking module. */
const defaultPeriod = 14n * 86_400_000_000_000n;

/** The most blocks that are kept with their commits, to verify others with and for evidence. */
const maxBlocks = 32;

/** The most hashes that are kept. */
const maxHashes = 1_024;

/** The largest page of a node. */
const pageSize = 100;

/** The most pages of a validator set that are read. */
const maxPages = 100;

/** How long a node has for its vote on the first block, in ms. A node that is silent has none. */
const longestVote = 1_000;

/** Waits in ms for the commit of a block whose event has arrived. */
const commitWaits = [20, 50, 100, 200, 400];

/** How often the trust is kept, in ms. */
const keepInterval = 60_000;

/** How long a node is not asked again for a first commit that it did not return, in ms. */
const unavailableTime = 60_000;

/** Whether a node does not have what verifies a block, or has it in a form that is unknown here. That is no false statement. */
function isUnavailable(error: unknown): boolean {
  if (error instanceof ProofError) return error.code === 'MALFORMED' || error.code === 'UNKNOWN_KEY_TYPE';
  return (['RPC_ERROR', 'HEIGHT_PRUNED', 'INDEX_UNAVAILABLE', 'NODE_INVALID_RESPONSE'] as const).some((code) =>
    isChainError(error, code),
  );
}

/** The most refused blocks that are remembered, so that each is reported once. */
const maxReported = 1_000;

/** The hash of the transactions of a block, as its header has it. */
function hashOfTxs(block: JsonObject): string {
  const hashes: Uint8Array[] = [];
  for (const tx of arrayAt(objectAt(block, 'data'), 'txs')) {
    if (typeof tx !== 'string') throw new ProofError('MALFORMED', 'A transaction is not text.');
    hashes.push(sha256(Buffer.from(tx, 'base64')));
  }
  return toHex(merkleRoot(hashes));
}

/** The time that a node reports. Throws MALFORMED. */
function timeOf({ time }: HeadBlock): bigint {
  try {
    return parseTime(time);
  } catch {
    throw new ProofError('MALFORMED', 'The time of the block is not one in UTC.');
  }
}

/** A block that was read, as the node printed it and decoded. */
export interface VerifiedBlock extends TrustedBlock {
  readonly block: LightBlock;
}

type ReadBlock = VerifiedBlock;

/** The blocks with the signatures of their validators. */
export type SignedBlocks = Pick<LightClient, 'signed' | 'readSigned'>;

/** Verifies the newest blocks that nodes report. */
export type LightClient = ReturnType<typeof createLightClient>;

/**
 * Creates a light client: it verifies that the validators signed the blocks that nodes report, from a trusted block on. The trust begins with a checkpoint of the
 * operator, with what an earlier start kept, or with the first block on which the nodes agree.
 */
export function createLightClient(options: LightClientOptions) {
  const { checkpoint, followsResets = false, isRequired = true, load, keep, onTrust, onEvidence, now = Date.now } = options;
  const check = createNodeSignatures();
  /** The sets by their hash, with what the node printed. */
  const sets = new Map<string, { readonly set: ValidatorSet; readonly json: readonly JsonValue[] }>();
  /** The newest verified blocks, by ascending height. */
  let blocks: ReadBlock[] = [];
  const verifications = new Map<bigint, Verification>();
  let trust: Omit<TrustRecord, 'newest'> | undefined;
  let beginning: Promise<void> | undefined;
  let keptAt = Number.NEGATIVE_INFINITY;
  /** The hash of the first block of the chain, as far as a node has it. */
  let firstHash: string | undefined;
  let state: VerificationState = 'STARTING';
  let count = 0;
  const refusals = new Map<string, number>();
  const reported = new Set<string>();
  const conflictListeners = new Set<(height: bigint) => void>();
  const listeners = new Set<(verification: Verification) => void>();
  /** When each node did not return a first commit. */
  const unavailableAt = new Map<string, number>();
  /** The nodes that returned answers. */
  const senders = new WeakMap<object, LightNode>();
  const refuted = new Map<string, number>();
  /** Incremented when the trust begins again. What began before does not count. */
  let generation = 0;

  const nanoseconds = (): bigint => BigInt(now()) * 1_000_000n;
  const newest = (): ReadBlock | undefined => blocks.at(-1);

  /** Reads a whole validator set. */
  async function readValidators(node: LightNode, height: bigint): Promise<readonly JsonValue[]> {
    const validators: JsonValue[] = [];
    for (let page = 1; page <= maxPages; page += 1) {
      const params = { height: height.toString(), page: page.toString(), per_page: pageSize.toString() };
      const decode = (json: JsonValue) => {
        const result = asObject(json, 'validators');
        return { items: arrayAt(result, 'validators'), total: bigintAt(result, 'total') };
      };
      const { items, total } = await node.call('validators', params, { decode });
      validators.push(...items);
      if (items.length === 0 || BigInt(validators.length) >= total) break;
    }
    return validators;
  }

  /** Reads the signed header of a block. Waits a little for a commit that is not stored yet. */
  async function readSignedHeader(node: LightNode, height: bigint): Promise<JsonObject> {
    const decode = (json: JsonValue): JsonObject => objectAt(asObject(json, 'commit'), 'signed_header');
    for (const wait of commitWaits) {
      try {
        return await node.call('commit', { height: height.toString() }, { decode });
      } catch (error) {
        if (!isChainError(error, 'HEIGHT_NOT_YET_AVAILABLE')) throw error;
        await pause(wait);
      }
    }
    return node.call('commit', { height: height.toString() }, { decode });
  }

  /** The validators of a signed header: from memory, or from the node. */
  async function signedBlock(node: LightNode, height: bigint, signedHeader: JsonObject): Promise<ReadBlock> {
    const hash = textAt(objectAt(signedHeader, 'header'), 'validators_hash');
    let entry = sets.get(hash);
    if (entry === undefined) {
      const json = await readValidators(node, height);
      entry = { set: decodeValidators(json), json };
      // By the hash that was computed: one that a node made up is not found again.
      if (sets.size > 8) sets.clear();
      sets.set(toHex(entry.set.hash), entry);
    }
    return { signedHeader, validators: entry.json, block: decodeLightBlock(signedHeader, entry.set) };
  }

  /** Reads a block with its commit, and its validators if their set is not kept. Throws a ProofError for one that is malformed. */
  async function readBlock(node: LightNode, height: bigint, received: (json: JsonValue) => void): Promise<ReadBlock> {
    const signedHeader = await readSignedHeader(node, height);
    received(signedHeader);
    return signedBlock(node, height, signedHeader);
  }

  /** Reads a block with this hash from a node, or from another one if it does not have its commit. Who returns it does not matter. */
  async function readClaim(
    node: LightNode,
    { height, hash }: Pick<HeadBlock, 'height' | 'hash'>,
    others: readonly LightNode[],
    received: (json: JsonValue) => void,
  ): Promise<ReadBlock> {
    try {
      return await readBlock(node, height, received);
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      for (const other of others) {
        const read = await readBlock(other, height, () => undefined).catch(() => undefined);
        if (read !== undefined && toHex(read.block.hash) === hash) return read;
      }
      throw error;
    }
  }

  /** Two thirds of the unbonding time of the chain, as the node reports it. */
  async function readPeriod(node: LightNode, height: bigint): Promise<bigint> {
    const decode = (json: JsonValue): bigint => {
      const { value = new Uint8Array() } = decodeAbciReply(json, height);
      const { params } = fromBinary(QueryParamsResponseSchema, value);
      return (params?.unbondingTime?.seconds ?? 0n) * 1_000_000_000n;
    };
    try {
      const request = { path: '/cosmos.staking.v1beta1.Query/Params', data: '', height: height.toString(), prove: false };
      const unbonding = await node.call('abci_query', request, { decode });
      return unbonding > 0n ? (unbonding * 2n) / 3n : defaultPeriod;
    } catch (error) {
      if (isChainError(error, 'NODE_UNREACHABLE') || isChainError(error, 'NODE_TIMEOUT')) throw error;
      return defaultPeriod;
    }
  }

  function verifyOptions(chainId: string) {
    return { chainId, check, trustingPeriod: trust?.trustingPeriod ?? defaultPeriod, now: nanoseconds() };
  }

  function keepNow(): void {
    const block = newest();
    if (trust === undefined || block === undefined) return;
    keptAt = performance.now();
    keep?.({ ...trust, newest: { signedHeader: block.signedHeader, validators: block.validators } });
  }

  /** Adds a verified block. */
  function add(read: ReadBlock, power: SignedPower): void {
    const { height } = read.block.header;
    if (trust === undefined || verifications.has(height)) return;
    const { hash, header } = read.block;
    const verification = {
      ...{ height, hash: toHex(hash), time: header.time },
      ...{ appHash: toHex(header.appHash), lastHash: toHex(header.lastBlockId.hash) },
      ...{ trustedFrom: trust.from, ...power },
    };
    verifications.set(height, verification);
    for (const old of verifications.keys()) {
      if (verifications.size <= maxHashes) break;
      verifications.delete(old);
    }
    blocks = [...blocks, read].toSorted((one, other) => Number(one.block.header.height - other.block.header.height));
    if (blocks.length > maxBlocks) blocks = blocks.slice(-maxBlocks);
    count += 1;
    if (state !== 'CONFLICT') state = 'VERIFIED';
    for (const listener of listeners) listener(verification);
    if (performance.now() - keptAt >= keepInterval) keepNow();
  }

  /** Begins the trust with the block of a checkpoint, or with the first one that a node reports if most of the nodes have it. */
  async function begin(
    node: LightNode,
    claim: HeadBlock,
    others: readonly LightNode[],
    { record, received }: { readonly record: TrustRecord | undefined; readonly received: (json: JsonValue) => void },
  ): Promise<void> {
    const { chainId } = claim;
    const isSame =
      checkpoint === undefined || (record?.from.height === checkpoint.height && record.from.hash === checkpoint.hash);
    if (record !== undefined && isSame) {
      const set = decodeValidators(record.newest.validators);
      const block = decodeLightBlock(record.newest.signedHeader, set);
      trust = { ...record, trustingPeriod: options.trustingPeriod ?? record.trustingPeriod };
      add({ ...record.newest, block }, await verifySigned(block, verifyOptions(chainId)));
      count -= 1;
      state = 'STARTING';
      sets.set(toHex(set.hash), { set, json: record.newest.validators });
      return;
    }
    const from = checkpoint ?? { height: claim.height, hash: claim.hash };
    const read = await readClaim(node, from, others, received);
    if (toHex(read.block.hash) !== from.hash)
      throw new ProofError('WRONG_HASH', `The node has another block than the trusted one at height ${from.height}.`);
    const power = await verifySigned(read.block, verifyOptions(chainId));
    if (checkpoint === undefined) await checkAgreement(claim, others);
    const trustingPeriod = options.trustingPeriod ?? (await readPeriod(node, claim.height));
    trust = { chainId, from, kind: checkpoint === undefined ? 'FIRST_USE' : 'CHECKPOINT', trustingPeriod };
    add(read, power);
    state = 'STARTING';
    keepNow();
    onTrust?.({ ...trust, newest: read });
  }

  /** Compares a block with those of the other nodes of the chain that respond within a second. Rejects with NODE_INCONSISTENT if most of them have another one. */
  async function checkAgreement({ height, hash, chainId }: HeadBlock, others: readonly LightNode[]): Promise<void> {
    const decode = (json: JsonValue): string | undefined => {
      const header = decodeHeader(objectAt(objectAt(asObject(json, 'commit'), 'signed_header'), 'header'));
      return header.chainId === chainId ? toHex(hashHeader(header)) : undefined;
    };
    const signal = AbortSignal.timeout(longestVote);
    const hashes = await Promise.all(
      others.map((node) => node.call('commit', { height: height.toString() }, { decode, signal }).catch(() => undefined)),
    );
    const votes = hashes.filter((each) => each !== undefined);
    const against = votes.filter((each) => each !== hash);
    if (against.length * 2 > votes.length) throw inconsistent(height);
  }

  /** Reports a block that is refused, and returns the error for the node. */
  function refuse(node: LightNode, claim: HeadBlock, error: ProofError, received: JsonValue | undefined): ChainError {
    refusals.set(node.alias, (refusals.get(node.alias) ?? 0) + 1);
    const key = `${node.alias} ${claim.height} ${claim.hash} ${error.code}`;
    if (!reported.has(key)) {
      if (reported.size >= maxReported) reported.clear();
      reported.add(key);
      const isConflict = error.code === 'CONFLICT';
      const base = blocks.findLast(({ block }) => block.header.height <= claim.height) ?? newest();
      onEvidence?.({
        kind: isConflict ? 'CONFLICT' : 'REFUSED',
        node: node.alias,
        chainId: claim.chainId,
        height: claim.height,
        code: error.code,
        reason: error.message,
        hash: claim.hash,
        received,
        trusted: base && { signedHeader: base.signedHeader, validators: base.validators },
      });
    }
    return new ChainError('NODE_INVALID_RESPONSE', `Block ${claim.height} of the node does not verify. ${error.message}`, {});
  }

  /** Ends the trust, because the chain began again. */
  function forget(): void {
    generation += 1;
    trust = undefined;
    blocks = [];
    verifications.clear();
    sets.clear();
    state = 'STARTING';
  }

  /** Rejects for another block at a verified height, below which no block is kept: with CONFLICT if the same validators signed it. */
  async function refuseOther(node: LightNode, claim: HeadBlock, received: (json: JsonValue) => void): Promise<never> {
    const { block } = await readBlock(node, claim.height, received);
    const other = blocks.find((each) => each.block.header.height === claim.height);
    if (other !== undefined && toHex(block.hash) === claim.hash && equalBytes(other.block.set.hash, block.set.hash)) {
      await verifySigned(block, verifyOptions(claim.chainId));
      throw new ProofError('CONFLICT', `The validators signed two blocks at height ${claim.height}.`);
    }
    throw new ProofError('WRONG_HASH', `The node has another block than the verified one at height ${claim.height}.`);
  }

  /** Verifies a block that is not verified yet. */
  async function verifyClaim(
    node: LightNode,
    claim: HeadBlock,
    others: readonly LightNode[],
    received: (json: JsonValue) => void,
  ): Promise<void> {
    const tip = newest();
    if (tip === undefined || trust === undefined) throw inconsistent(claim.height);
    if (verifications.get(claim.height)?.hash === claim.hash) {
      state = 'VERIFIED';
      return;
    }
    const tipHeader = tip.block.header;
    const base = blocks.findLast(({ block }) => block.header.height < claim.height);
    if (base === undefined) {
      // Times grow with heights: a lower block with a later time is one of another chain.
      if (timeOf(claim) > tipHeader.time) {
        state = 'OTHER_CHAIN';
        throw new ProofError(
          'WRONG_HEIGHT',
          `The node has another chain under the same id, or the chain began again: block ${claim.height} is later than the trusted block ${tipHeader.height}.`,
        );
      }
      if (verifications.has(claim.height)) return refuseOther(node, claim, received);
      // A node that is behind. Its block can be no head once a later one is verified.
      if (state === 'VERIFIED') return;
      throw new ChainError('HEIGHT_NOT_YET_AVAILABLE', `The node is behind the trusted block ${tipHeader.height}.`, {
        height: tipHeader.height,
        latestHeight: claim.height,
      });
    }
    const started = generation;
    const read = await readClaim(node, claim, others, received);
    if (toHex(read.block.hash) !== claim.hash)
      throw new ProofError('WRONG_HASH', `The node has another block at height ${claim.height} than the one that it reported.`);
    if (verifications.get(claim.height)?.hash === claim.hash) return;
    const between: ReadBlock[] = [];
    const readBetween = async (height: bigint): Promise<LightBlock> => {
      const step = await readBlock(node, height, () => undefined);
      between.push(step);
      return step.block;
    };
    const verifying = { ...verifyOptions(claim.chainId), read: readBetween };
    let power: SignedPower;
    if (read.block.header.height === base.block.header.height + 1n) power = await verifyStep(base.block, read.block, verifying);
    else {
      const path = await verifyBetween(base.block, read.block, verifying);
      for (const block of path.slice(0, -1)) {
        const step = between.find((each) => each.block === block);
        if (step !== undefined && started === generation) add(step, await verifySigned(block, verifying));
      }
      power = await verifySigned(read.block, verifying);
    }
    if (started !== generation) throw inconsistent(claim.height);
    const other = verifications.get(claim.height);
    if (other !== undefined && other.hash !== claim.hash)
      throw new ProofError('CONFLICT', `The validators signed two blocks at height ${claim.height}.`);
    const after = verifications.get(claim.height + 1n);
    const next = blocks.find(({ block }) => block.header.height === after?.height);
    if (next !== undefined && !equalBytes(next.block.header.lastBlockId.hash, read.block.hash))
      throw new ProofError('CONFLICT', `The validators signed block ${claim.height}, and a next one that does not follow it.`);
    add(read, power);
  }

  /** Begins the trust, one attempt at a time. Resolves with whether the block can be verified: not if it is of another chain, or if no node has what verifies it. */
  async function hasBegun(
    node: LightNode,
    claim: HeadBlock,
    others: readonly LightNode[],
    received: (json: JsonValue) => void,
  ): Promise<boolean> {
    // The failure of another node is none of this one.
    while (beginning !== undefined) await beginning.catch(() => undefined);
    if (trust !== undefined) return trust.chainId === claim.chainId;
    const record = load?.(claim.chainId);
    const mayFail = !isRequired && checkpoint === undefined && record === undefined;
    const failedAt = unavailableAt.get(node.alias);
    if (mayFail && state === 'UNAVAILABLE' && failedAt !== undefined && performance.now() - failedAt < unavailableTime)
      return false;
    beginning = begin(node, claim, others, { record, received }).finally(() => {
      beginning = undefined;
    });
    try {
      await beginning;
      return true;
    } catch (error) {
      if (!mayFail || !isUnavailable(error)) throw error;
      unavailableAt.set(node.alias, performance.now());
      if (state !== 'UNAVAILABLE') options.onUnavailable?.(error instanceof Error ? error.message : String(error));
      state = 'UNAVAILABLE';
      return false;
    }
  }

  async function run(node: LightNode, claim: HeadBlock, others: readonly LightNode[]): Promise<void> {
    let received: JsonValue | undefined;
    const onReceived = (json: JsonValue): void => {
      received = json;
    };
    try {
      if (trust === undefined) {
        if (!(await hasBegun(node, claim, others, onReceived))) return;
        const anchor = verifications.get(claim.height);
        if (anchor?.hash === claim.hash) {
          state = 'VERIFIED';
          return;
        }
      }
      await verifyClaim(node, claim, others, onReceived);
    } catch (error) {
      if (!(error instanceof ProofError)) throw error;
      if (error.code === 'EXPIRED') {
        state = 'EXPIRED';
        throw new ChainError('NODE_INVALID_RESPONSE', `${error.message} Start with a newer --trust.`, {});
      }
      // Of a node that lacks the block of the operator, that block is reported, and not each of its newest ones.
      const subject = trust === undefined && checkpoint !== undefined ? { ...claim, ...checkpoint } : claim;
      const refusal = refuse(node, subject, error, received);
      if (error.code === 'CONFLICT' && state !== 'CONFLICT') {
        state = 'CONFLICT';
        for (const listener of conflictListeners) listener(claim.height);
      }
      throw refusal;
    }
  }

  return {
    /**
     * Verifies a block that a node reports. Returns undefined if it is verified already, which needs no call. Rejects with NODE_INVALID_RESPONSE
     * for a block that the validators did not sign, and with the error of the node if it does not return the commit. `others` are the
     * other nodes, which must agree on the first block. `first` is the hash of the first block of the node's chain, if it has it.
     */
    check(
      node: LightNode,
      claim: HeadBlock,
      { others, first }: { readonly others: readonly LightNode[]; readonly first?: string | undefined },
    ): Promise<void> | undefined {
      // Other chains have nothing to do with this trust: the pool does not use their nodes.
      if (claim.chainId !== (trust?.chainId ?? options.chainId ?? claim.chainId)) return undefined;
      if (first !== undefined && first !== firstHash) {
        if (firstHash !== undefined && followsResets) forget();
        if (firstHash === undefined || followsResets) firstHash = first;
      }
      if (state !== 'CONFLICT' && verifications.get(claim.height)?.hash === claim.hash && state === 'VERIFIED')
        return undefined;
      if (state === 'CONFLICT')
        return Promise.reject(
          new ChainError('NODE_INCONSISTENT', 'The validators signed two different blocks.', { height: claim.height }),
        );
      return run(node, claim, others);
    },
    /**
     * Throws NODE_INVALID_RESPONSE unless the header and the transactions in an event, or the time in a status, are those of the block with this hash. A verified hash says
     * nothing about what is beside it.
     */
    checkContent(node: LightNode, claim: HeadBlock): void {
      if (trust?.chainId !== claim.chainId) return;
      const content = claim.block && objectAt(claim.block, 'block');
      const header = content?.header;
      try {
        if (header !== undefined && toHex(hashHeader(decodeHeader(header))) !== claim.hash)
          throw new ProofError('WRONG_HASH', `The header of block ${claim.height} does not have the hash beside it.`);
        if (content !== undefined && hashOfTxs(content) !== textAt(objectAt(content, 'header'), 'data_hash'))
          throw new ProofError('WRONG_HASH', `The transactions of block ${claim.height} do not have the hash in its header.`);
        const block = verifications.get(claim.height);
        if (block !== undefined && block.time !== timeOf(claim))
          throw new ProofError('WRONG_TIME', `The time of block ${claim.height} is not that of its header.`);
      } catch (error) {
        if (!(error instanceof ProofError)) throw error;
        throw refuse(node, claim, error, header);
      }
    },
    /** Remembers which node has returned an answer. */
    sent(node: LightNode, result: JsonValue): void {
      if (typeof result === 'object' && result !== null) senders.set(result, node);
    },
    /** Reports an answer about the state at a height that is proven to be wrong. Returns the alias of the node; undefined if it is not remembered. */
    refute(
      result: JsonValue,
      { height, code, reason, received }: Pick<Evidence, 'height' | 'code' | 'reason' | 'received'>,
    ): string | undefined {
      const node = typeof result === 'object' && result !== null ? senders.get(result) : undefined;
      if (node === undefined) return undefined;
      refuted.set(node.alias, (refuted.get(node.alias) ?? 0) + 1);
      const base = blocks.find(({ block }) => block.header.height === height + 1n);
      onEvidence?.({
        ...{ kind: 'READ', node: node.alias, chainId: trust?.chainId ?? '', height, code, reason, received },
        hash: verifications.get(height + 1n)?.hash ?? '',
        trusted: base && { signedHeader: base.signedHeader, validators: base.validators },
      });
      return node.alias;
    },
    /** Adds the validators to a signed header of the chain, and verifies that they signed it. Rejects with a ProofError. */
    async readSigned(call: Transport['call'], height: bigint, signedHeader: JsonObject): Promise<VerifiedBlock> {
      const read = await signedBlock({ alias: '', call }, height, signedHeader);
      await verifySigned(read.block, verifyOptions(trust?.chainId ?? ''));
      return read;
    },
    admits: ({ height, hash }: Checkpoint): boolean => state === 'UNAVAILABLE' || verifications.get(height)?.hash === hash,
    /** How a block was verified; undefined if it was not, or is not one of the last 1,024. */
    at: (height: bigint): Verification | undefined => verifications.get(height),
    /** A verified block with its signatures, as a node printed it; undefined if it is not one of the newest. */
    signed: (height: bigint): VerifiedBlock | undefined => blocks.find(({ block }) => block.header.height === height),
    status: (): VerificationStatus => {
      const tip = newest();
      return { state, newest: tip && verifications.get(tip.block.header.height), verified: count, refused: refusals, refuted };
    },
    /** Calls `listener` with each verified block. Returns a function that removes the listener. */
    onVerified(listener: (verification: Verification) => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    /** Calls `listener` when the validators have signed two blocks that exclude one another. Returns a function that removes the listener. */
    onConflict(listener: (height: bigint) => void): () => void {
      conflictListeners.add(listener);
      return () => conflictListeners.delete(listener);
    },
    /** Keeps the trust a last time. */
    close: keepNow,
  };
}
