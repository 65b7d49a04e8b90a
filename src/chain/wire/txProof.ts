import type { JsonObject } from './json.ts';
import { leafHash, merkleAunts, merkleRoot } from './merkle.ts';

/** The proof that a transaction is in a block, as a node encodes it. `tx` are its bytes, `hashes` those of all transactions of the block. */
export function encodeTxProof(tx: Uint8Array, index: number, hashes: readonly Uint8Array[]): JsonObject {
  const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
  return {
    root_hash: Buffer.from(merkleRoot(hashes)).toString('hex').toUpperCase(),
    data: base64(tx),
    proof: {
      total: String(hashes.length),
      index: String(index),
      leaf_hash: base64(leafHash(hashes[index] ?? new Uint8Array())),
      aunts: merkleAunts(hashes, index).map(base64),
    },
  };
}
