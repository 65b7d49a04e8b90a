import { isChainError } from '../../chain/base/errors.ts';
import type { TxExec } from '../../chain/base/execution.ts';
import type { CommittedTx } from '../../chain/blocks/blockLog.ts';
import { decodeBlockResults, hashTx } from '../../chain/blocks/committedBlock.ts';
import type { Client } from '../../chain/client.ts';
import { type DecodedTx, decodeTx } from '../../chain/transactions/tx.ts';
import { asObject, bigintAt, bytesAt, intAt, malformed, objectAt, textAt } from '../../chain/wire/decode.ts';
import type { JsonValue } from '../../chain/wire/json.ts';
import { decodeExec } from '../../chain/wire/results.ts';

/** A signed transaction, committed or not. */
export interface SignedTx {
  /** SHA-256 of the bytes, upper case hex. */
  readonly hash: string;
  /** The bytes, in base64. */
  readonly tx: string;
  /** The decoded transaction; null if the bytes are not a Cosmos transaction. Decoded once. */
  decoded(): DecodedTx | null;
}

/** A transaction in a block, with its result. */
export interface Transaction extends SignedTx {
  readonly height: bigint;
  readonly index: number;
  readonly result: TxExec;
}

/** A Merkle proof of a transaction against the data hash of its block. The root hash is hex, the other bytes are base64. */
export interface TxProof {
  readonly rootHash: string;
  readonly data: string;
  readonly proof: {
    readonly total: bigint;
    readonly index: bigint;
    readonly leafHash: string;
    readonly aunts: readonly string[];
  };
}

/** Makes a signed transaction from its bytes in base64. */
export function signedTx(tx: string): SignedTx {
  let decoded: DecodedTx | null | undefined;
  return {
    hash: hashTx(tx),
    tx,
    decoded: () => {
      decoded ??= decodeTx(Buffer.from(tx, 'base64'));
      return decoded;
    },
  };
}

/** A transaction of a committed block. */
export function committed(height: bigint, { tx, index, result }: CommittedTx): Transaction {
  return { ...signedTx(tx), height, index, result };
}

/** Decodes the result of `tx` or an item of `tx_search`. */
export function decodeTransaction(json: JsonValue): Transaction {
  const result = asObject(json, 'tx');
  const tx = signedTx(textAt(result, 'tx'));
  if (tx.hash !== textAt(result, 'hash')) throw malformed('the hash of a transaction does not match its bytes');
  return {
    ...tx,
    height: bigintAt(result, 'height'),
    index: intAt(result, 'index'),
    result: decodeExec(objectAt(result, 'tx_result')),
  };
}

function decodeProof(json: JsonValue): TxProof {
  const proof = objectAt(asObject(json, 'tx'), 'proof');
  const path = objectAt(proof, 'proof');
  const aunts = path.aunts ?? [];
  if (!Array.isArray(aunts)) throw malformed('aunts is not an array');
  return {
    rootHash: textAt(proof, 'root_hash'),
    data: textAt(proof, 'data'),
    proof: {
      total: bigintAt(path, 'total'),
      index: bigintAt(path, 'index'),
      leafHash: Buffer.from(bytesAt(path, 'leaf_hash') ?? []).toString('base64'),
      aunts: aunts.map((aunt) => {
        if (typeof aunt !== 'string') throw malformed('an aunt is not base64');
        return aunt;
      }),
    },
  };
}

async function read<T>(client: Client, hash: string, prove: boolean, decode: (json: JsonValue) => T, signal?: AbortSignal) {
  const params = { hash: Buffer.from(hash, 'hex').toString('base64'), prove };
  try {
    return await client.call('tx', params, { signal, decode });
  } catch (error) {
    if (isChainError(error, 'RPC_ERROR') && /^tx \([0-9A-F]*\) not found$/i.test(error.facts.data)) return null;
    throw error;
  }
}

/** The maximum lag of the index of a node behind its newest block, in blocks (docs/chain.md, "Transaction index"). */
const indexLag = 2n;

/** A transaction in the newest blocks; null also if they cannot be read, because then the answer of the index counts. */
async function inNewestBlocks(client: Client, hash: string, signal?: AbortSignal): Promise<Transaction | null> {
  const newest = client.head.current()?.height ?? 0n;
  try {
    for (let height = newest; height > newest - indexLag && height > 0n; height -= 1n) {
      const { txs } = await client.block(height, signal);
      const index = txs.findIndex((tx) => hashTx(tx) === hash);
      const tx = txs[index];
      if (tx === undefined) continue;
      const result = await client.call(
        'block_results',
        { height: height.toString() },
        { height, signal, decode: (json) => decodeBlockResults(json).txs[index] },
      );
      return result === undefined ? null : { ...signedTx(tx), height, index, result };
    }
  } catch (error) {
    if (!isChainError(error) || signal?.aborted) throw error;
  }
  return null;
}

function inMemory(client: Client, hash: string): Transaction | null {
  const seen = client.blocks.transaction(hash);
  if (seen === undefined) return null;
  return committed(seen.block.header.height, seen.transaction);
}

/**
 * The committed transaction with a hash (upper case hex), at any height; null if none exists. Searches the blocks in memory,
 * then the index of a node, then the newest blocks.
 */
export async function transactionByHash(client: Client, hash: string, signal?: AbortSignal): Promise<Transaction | null> {
  return (
    inMemory(client, hash) ??
    (await read(client, hash, false, decodeTransaction, signal)) ??
    inNewestBlocks(client, hash, signal)
  );
}

/** The proof that a block contains a transaction; null if none exists. The node reads the whole block for it. */
export function transactionProof(client: Client, hash: string, signal?: AbortSignal): Promise<TxProof | null> {
  return read(client, hash, true, decodeProof, signal);
}
