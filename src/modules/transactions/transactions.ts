import { isChainError } from '../../chain/base/errors.ts';
import type { TxExec } from '../../chain/base/execution.ts';
import { decodeBlockResults, hashTx } from '../../chain/blocks/committedBlock.ts';
import type { Client } from '../../chain/client.ts';
import { type DecodedTx, decodeTx } from '../../chain/transactions/decodedTx.ts';
import { asObject, bigintAt, bytesAt, intAt, malformed, objectAt, textAt } from '../../chain/wire/decode.ts';
import type { JsonValue } from '../../chain/wire/json.ts';
import { decodeExec } from '../../chain/wire/results.ts';

/** A signed transaction, committed or not. */
export interface SignedTx {
  /** SHA-256 of the bytes, upper case hex. */
  readonly hash: string;
  /** The bytes, in base64. */
  readonly tx: string;
  /** What the bytes say; null when they are no Cosmos transaction. Decoded once. */
  decoded(): DecodedTx | null;
}

/** A transaction in a block, with what it did. */
export interface Transaction extends SignedTx {
  readonly height: bigint;
  readonly index: number;
  readonly result: TxExec;
}

/** A Merkle proof of a transaction against its block's data hash. Hash in hex, bytes in base64. */
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

/** A signed transaction by its bytes in base64. */
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

/** Reads the result of `tx` or an item of `tx_search`. */
export function decodeTransaction(json: JsonValue): Transaction {
  const result = asObject(json, 'tx');
  const tx = signedTx(textAt(result, 'tx'));
  if (tx.hash !== textAt(result, 'hash')) throw malformed('the hash of a transaction is not that of its bytes');
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

/** Blocks that a node's index may be behind: it follows them by itself (reliability.md T44). */
const indexLag = 2n;

/** A transaction of the newest blocks; null also where none of them can be had, since what is known then is what the index said. */
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
  const { tx, index, result } = seen.transaction;
  return { ...signedTx(tx), height: seen.block.header.height, index, result };
}

/**
 * A committed transaction by its hash (upper case hex), of whatever height: one that this server has seen in a block, else one of the
 * node's index, else of the newest blocks; null when none of them holds it.
 */
export async function transactionByHash(client: Client, hash: string, signal?: AbortSignal): Promise<Transaction | null> {
  return (
    inMemory(client, hash) ??
    (await read(client, hash, false, decodeTransaction, signal)) ??
    inNewestBlocks(client, hash, signal)
  );
}

/** The proof that a block holds a transaction; the node reads the whole block for it. */
export function transactionProof(client: Client, hash: string, signal?: AbortSignal): Promise<TxProof | null> {
  return read(client, hash, true, decodeProof, signal);
}
