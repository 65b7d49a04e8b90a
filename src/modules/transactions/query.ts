import type { Registry } from '@bufbuild/protobuf';
import { bech32 } from '@scure/base';
import { isChainError } from '../../chain/base/errors.ts';
import type { TxExec } from '../../chain/base/execution.ts';
import { type CommittedTx, decodeBlockResults, hashTx } from '../../chain/blocks/committedBlock.ts';
import type { Client } from '../../chain/client.ts';
import { flattenTx, matches } from '../../chain/events/eventQuery.ts';
import { type DecodedTx, decodeTx, signerBytes } from '../../chain/transactions/tx.ts';
import { decodeExec } from '../../chain/wire/block.ts';
import { asObject, bigintAt, bytesAt, intAt, type JsonValue, malformed, objectAt, textAt } from '../../chain/wire/json.ts';
import { type AnyMessage, messageJson } from '../../chain/wire/protoJson.ts';
import { TxSchema } from '../../proto/cosmos/tx/v1beta1/tx_pb.js';
import { addressBytes } from '../../reads/input.ts';
import { type Awaitable, andThen, type Pinned, pinOf, ReadOnce, type Source } from '../../reads/pin.ts';
import { createAccountLoaders } from '../account/query.ts';
import { fromAny } from '../any/codec.ts';
import type { SearchKind } from '../events/search.ts';

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

function decodeProof(json: JsonValue) {
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

/** A Merkle proof of a transaction against the data hash of its block. The root hash is hex, the other bytes are base64. */
export type TxProof = Readonly<ReturnType<typeof decodeProof>>;

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
  const seenTransaction = client.blocks.transaction(hash);
  if (seenTransaction === undefined) return null;
  return committed(seenTransaction.block.header.height, seenTransaction.transaction);
}

/**
 * The committed transaction with a hash (upper case hex), at any height; null if none exists. Searches the blocks in memory,
 * then the index of a node, then the newest blocks.
 */
async function transactionByHash(client: Client, hash: string, signal?: AbortSignal): Promise<Transaction | null> {
  return (
    inMemory(client, hash) ??
    (await read(client, hash, false, decodeTransaction, signal)) ??
    inNewestBlocks(client, hash, signal)
  );
}

/** The proof that a block contains a transaction; null if none exists. The node reads the whole block for it. */
function transactionProof(client: Client, hash: string, signal?: AbortSignal): Promise<TxProof | null> {
  return read(client, hash, true, decodeProof, signal);
}

/** The search of transactions by their events. */
export const transactionSearch: SearchKind<Transaction> = {
  method: 'tx_search',
  heightTag: 'tx.height',
  member: 'txs',
  decode: decodeTransaction,
  heightOf: ({ height }) => height,
  indexOf: ({ index }) => index,
  holds: (transaction, conditions) => matches(conditions, flattenTx({ header: transaction }, transaction)),
};

/** The loaders of one pin, by hash (upper case hex). A transaction can be above the height of the pin. */
export function createTransactionLoaders({ client, signal }: Source) {
  return {
    /** The committed transaction with a hash; null if none exists. */
    transaction: new ReadOnce((hash: string) => transactionByHash(client, hash, signal)),
    /** The proof that a block contains the transaction; null if none exists. */
    transactionProof: new ReadOnce((hash: string) => transactionProof(client, hash, signal)),
  };
}

/** The bech32 address of these bytes. */
export function addressText(prefix: string, bytes: Uint8Array): string {
  return bech32.encode(prefix, bech32.toWords(bytes), 128);
}

/** The bech32 prefix of an address in the messages that belongs to a signer; undefined if there is none. */
export function provenPrefix({ body }: DecodedTx, signers: readonly Uint8Array[]): string | undefined {
  for (const { value } of body.messages) {
    const text = Buffer.from(value).toString('latin1');
    for (const [address = ''] of text.matchAll(/[a-z]{1,20}1[02-9ac-hj-np-z]{38}/g)) {
      const bytes = addressBytes(address);
      if (bytes && signers.some((signer) => Buffer.compare(signer, bytes) === 0))
        return address.slice(0, address.lastIndexOf('1'));
    }
  }
  return undefined;
}

/** The messages of a transaction. */
export function messagesOf({ body }: DecodedTx): readonly AnyMessage[] {
  return body.messages.map(fromAny);
}

/**
 * A transaction in protobuf JSON. The bytes of a `TxRaw` also decode as a `Tx`. A message or key whose type is not in the
 * registry is `{"@type", "value"}` with its bytes.
 */
export function txJson(registry: Registry, bytes: Uint8Array): JsonValue {
  return messageJson(registry, registry.getMessage(TxSchema.typeName) ?? TxSchema, bytes);
}

/** The fee that a transaction offers, and who pays it. Addresses are bech32; `granter` is null if the transaction names none. */
export interface Fee {
  readonly amount: readonly { readonly denom: string; readonly amount: string }[];
  readonly gasLimit: bigint;
  readonly payer: string;
  readonly granter: string | null;
}

/**
 * The addresses of the signers, in order; null if the bytes are not a transaction, or if a public key is missing or is not a
 * secp256k1 key. The bech32 prefix is taken from an address in the messages that belongs to a signer; otherwise it is read from
 * the chain.
 */
export function signersOf(tx: Pinned<SignedTx>): Awaitable<readonly string[] | null> {
  const decoded = tx.decoded();
  const signers = decoded && signerBytes(decoded);
  if (!decoded || !signers) return null;
  const prefix = provenPrefix(decoded, signers) ?? pinOf(tx).loaders(createAccountLoaders).prefix.load('');
  return andThen(prefix, (text) => signers.map((bytes) => addressText(text, bytes)));
}

/**
 * The fee of a transaction; null if the bytes are not a transaction or the payer cannot be determined. The payer is the account
 * that the transaction names, else its first signer, else, for a committed transaction, the account in its `tx` event.
 */
export function feeOf(tx: Pinned<SignedTx & { readonly result?: TxExec }>): Awaitable<Fee | null> {
  const fee = tx.decoded()?.authInfo.fee;
  if (!fee) return null;
  return andThen(fee.payer || andThen(signersOf(tx), (signers) => signers?.[0] || eventPayer(tx.result)), (payer) =>
    payer ? { amount: fee.amount, gasLimit: fee.gasLimit, payer, granter: fee.granter || null } : null,
  );
}

function eventPayer(result: TxExec | undefined): string | undefined {
  const attributes = result?.events.filter(({ type }) => type === 'tx').flatMap((event) => event.attributes);
  return attributes?.find(({ key }) => key === 'fee_payer')?.value;
}
