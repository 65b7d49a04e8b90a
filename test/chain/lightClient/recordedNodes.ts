import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { createVoteBytes, decodeHeader, hashHeader, toHex } from '../../../packages/verify/src/index.ts';
import { ChainError } from '../../../src/chain/base/errors.ts';
import type { CallOptions, SubscriptionListener, Transport } from '../../../src/chain/transports/transport.ts';
import type { JsonObject, JsonValue } from '../../../src/chain/wire/json.ts';

/** A block as a node stores it: what `commit` and `validators` return at its height, and the transactions. */
export interface StoredBlock {
  readonly signedHeader: JsonObject & { readonly header: JsonObject; readonly commit: JsonObject };
  readonly validators: readonly JsonValue[];
  readonly txs?: readonly JsonValue[];
}

/** A node that returns stored blocks. Tests change them, and emit the events of new ones. */
export interface RecordedNode {
  readonly transport: Transport & { readonly alias: string };
  /** By height. */
  readonly blocks: Map<number, StoredBlock>;
  /** The calls so far, by method. */
  readonly calls: Record<string, number>;
  height: number;
  /** Whether calls of `commit` fail. */
  isSilent: boolean;
  /** Whether the node is one without the method `commit`. */
  hasNoCommits: boolean;
  /** Sends the event of the block at the newest height. */
  emit(change?: (value: JsonObject) => JsonObject): void;
}

/** The hash of a stored block. */
export function hashOf({ signedHeader }: StoredBlock): string {
  return toHex(hashHeader(decodeHeader(signedHeader.header)));
}

/** Creates a node over blocks from height 1 on. */
export function recordedNode(alias: string, stored: readonly StoredBlock[], height = stored.length): RecordedNode {
  const blocks = new Map(stored.map((block, index) => [index + 1, block]));
  const listeners = new Set<SubscriptionListener>();
  const calls: Record<string, number> = {};

  function blockAt(text: JsonValue | undefined): StoredBlock {
    const wantedHeight = Number(text);
    const block = blocks.get(wantedHeight);
    if (block !== undefined && wantedHeight <= node.height) return block;
    throw new ChainError('HEIGHT_NOT_YET_AVAILABLE', 'no such block', { height: BigInt(wantedHeight) });
  }

  function result(method: string, params: JsonObject): JsonValue {
    if (method === 'status') {
      const newest = blockAt(node.height);
      const first = blocks.get(1);
      return {
        node_info: { network: newest.signedHeader.header.chain_id ?? '', other: { tx_index: 'on' } },
        sync_info: {
          latest_block_height: String(node.height),
          latest_block_hash: hashOf(newest),
          latest_block_time: newest.signedHeader.header.time ?? '',
          latest_app_hash: newest.signedHeader.header.app_hash ?? '',
          earliest_block_height: first === undefined ? String(Math.min(...blocks.keys())) : '1',
          earliest_block_hash: first === undefined ? '' : hashOf(first),
          catching_up: false,
        },
      };
    }
    if (method === 'commit') {
      if (node.hasNoCommits) throw new ChainError('RPC_ERROR', 'Method not found', { rpcCode: -32601, data: '' });
      if (node.isSilent) throw new ChainError('NODE_TIMEOUT', 'no response', { milliseconds: 1 });
      return { signed_header: blockAt(params.height).signedHeader, canonical: true };
    }
    if (method === 'block') {
      const { signedHeader, txs = [] } = blockAt(params.height);
      return { block_id: signedHeader.commit.block_id ?? {}, block: { header: signedHeader.header, data: { txs: [...txs] } } };
    }
    if (method === 'validators') {
      const { validators } = blockAt(params.height);
      return { block_height: params.height ?? '', validators: [...validators], count: '0', total: String(validators.length) };
    }
    throw new ChainError('ABCI_QUERY_FAILED', 'unknown', { abciCode: 6, codespace: 'sdk', log: 'unknown query path' });
  }

  const node: RecordedNode = {
    blocks,
    calls,
    height,
    isSilent: false,
    hasNoCommits: false,
    transport: {
      alias,
      async call<T>(method: string, params: JsonObject, { decode }: CallOptions<T>): Promise<T> {
        calls[method] = (calls[method] ?? 0) + 1;
        return decode(result(method, params));
      },
      subscribe(_, listener) {
        listeners.add(listener);
        queueMicrotask(() => listener.open?.());
        return { close: () => listeners.delete(listener) };
      },
      close: async () => undefined,
    },
    emit(change = (value) => value) {
      const { signedHeader, txs = [] } = blockAt(node.height);
      const value = {
        block_id: signedHeader.commit.block_id ?? {},
        block: { header: signedHeader.header, data: { txs: [...txs] } },
      };
      for (const listener of listeners) listener.event({ data: { type: 'tendermint/event/NewBlock', value: change(value) } });
    },
  };
  return node;
}

/** A chain of one or several validators, whose keys the test has. */
export interface ForgedChain {
  readonly blocks: readonly StoredBlock[];
  /** The next block, with a change of its header. It is signed by all validators. */
  next(after: StoredBlock, change?: JsonObject): StoredBlock;
}

/** Creates a chain of validators with new keys, with `count` blocks, one second apart. */
export function forgedChain(options: {
  validators: number;
  count: number;
  start: number;
  chainId?: string;
  /** The power of a validator by its index, below 128: 10. */
  power?: (index: number) => number;
}): ForgedChain {
  const { count, start, chainId = 'forged-1', power = () => 10 } = options;
  const keys = Array.from({ length: options.validators }, () => generateKeyPairSync('ed25519'));
  // As a JWK, the export of a key that was just generated can wait for ever: Node.js holds the lock of the key, and a collection then deletes its generator.
  const rawOf = (key: KeyObject): Buffer => key.export({ format: 'der', type: 'spki' }).subarray(-32);
  const addressOf = (key: KeyObject): string =>
    createHash('sha256').update(rawOf(key)).digest('hex').slice(0, 40).toUpperCase();
  const validators = keys.map(({ publicKey }, index) => ({
    address: addressOf(publicKey),
    pub_key: { type: 'tendermint/PubKeyEd25519', value: rawOf(publicKey).toString('base64') },
    voting_power: String(power(index)),
    proposer_priority: '0',
  }));
  const setHash = hashOfSet(
    keys.map(({ publicKey }) => rawOf(publicKey)),
    power,
  );
  const empty = createHash('sha256').digest('hex').toUpperCase();

  function sealed(header: JsonObject): StoredBlock {
    const hash = toHex(hashHeader(decodeHeader(header)));
    const blockId = { hash, parts: { total: 1, hash } };
    const height = String(header.height);
    const bytes = Buffer.from(hash, 'hex');
    const vote = createVoteBytes(
      { height: BigInt(height), round: 0, blockId: { hash: bytes, parts: { total: 1, hash: bytes } } },
      chainId,
    );
    const time = decodeHeader(header).time;
    const signatures = keys.map(({ publicKey, privateKey }) => ({
      block_id_flag: 2,
      validator_address: addressOf(publicKey),
      timestamp: String(header.time),
      signature: sign(null, vote({ kind: 'BLOCK', time }), privateKey).toString('base64'),
    }));
    return { signedHeader: { header, commit: { height, round: 0, block_id: blockId, signatures } }, validators };
  }

  function next(after: StoredBlock | undefined, change: JsonObject = {}): StoredBlock {
    const height = after === undefined ? 1 : Number(after.signedHeader.header.height) + 1;
    const last = after?.signedHeader.commit.block_id ?? { hash: '', parts: { total: 0, hash: '' } };
    return sealed({
      version: { block: '11' },
      chain_id: chainId,
      height: String(height),
      time: new Date(start + height * 1_000).toISOString().replace('.000Z', 'Z'),
      last_block_id: last,
      last_commit_hash: empty,
      data_hash: empty,
      validators_hash: setHash,
      next_validators_hash: setHash,
      consensus_hash: empty,
      app_hash: empty,
      last_results_hash: empty,
      evidence_hash: empty,
      proposer_address: validators[0]?.address ?? '',
      ...change,
    });
  }

  const blocks: StoredBlock[] = [];
  for (let made = 0; made < count; made += 1) blocks.push(next(blocks.at(-1)));
  return { blocks, next };
}

/** `validators_hash` of ed25519 keys, encoded here a second time. */
function hashOfSet(keys: readonly Buffer[], power: (index: number) => number): string {
  const sha256 = (...parts: readonly Buffer[]): Buffer => createHash('sha256').update(Buffer.concat(parts)).digest();
  const rootOf = (hashes: readonly Buffer[]): Buffer => {
    if (hashes.length === 1) return hashes[0]!;
    const split = 2 ** Math.floor(Math.log2(hashes.length - 1));
    return sha256(Buffer.of(1), rootOf(hashes.slice(0, split)), rootOf(hashes.slice(split)));
  };
  return rootOf(
    keys.map((key, index) => sha256(Buffer.of(0), Buffer.of(0x0a, 34, 0x0a, 32), key, Buffer.of(0x10, power(index)))),
  )
    .toString('hex')
    .toUpperCase();
}
