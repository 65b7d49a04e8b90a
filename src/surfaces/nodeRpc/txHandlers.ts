import { isChainError } from '../../chain/base/errors.ts';
import type { TxExec } from '../../chain/base/execution.ts';
import { encodeExec } from '../../chain/blocks/blockJson.ts';
import type { Client } from '../../chain/client.ts';
import { internalError, invalidParams } from '../../chain/rpc/rpcErrors.ts';
import type { Broadcast } from '../../chain/transactions/broadcaster.ts';
import { stringify } from '../../chain/wire/goText.ts';
import { asObject, bigintAt, isDeeperThan, type JsonObject, malformed, textAt } from '../../chain/wire/json.ts';
import type { Handler, ResultCache } from './call.ts';
import { forbidden } from './failures.ts';

type OfTxs = 'check_tx' | 'tx' | 'broadcast_tx_sync' | 'broadcast_tx_async' | 'broadcast_tx_commit' | 'broadcast_evidence';

/** The result of a transaction that was not checked or not executed. */
const noExec: TxExec = {
  code: 0,
  codespace: '',
  log: '',
  info: '',
  data: null,
  gasWanted: 0n,
  gasUsed: 0n,
  events: [],
};

/** Encodes the result of CheckTx. Its data is empty if CheckTx accepted the transaction, and null if not (recorded). */
function encodeCheck(check: TxExec): JsonObject {
  return { ...encodeExec(check), data: check.data ?? (check.code === 0 ? '' : null) };
}

/** Encodes the result of `broadcast_tx_sync` and `_async`. Here `data` is hex (docs/chain.md, "Results of broadcasts"). */
function encodeSent({ hash, checkTx }: Broadcast): JsonObject {
  const { code, data, log, codespace } = checkTx ?? noExec;
  return {
    code,
    data: Buffer.from(data ?? '', 'base64')
      .toString('hex')
      .toUpperCase(),
    log,
    codespace,
    hash,
  };
}

/** Throws if the mempool already has the transaction, as a node does, or if the response of the node was lost. A refusal is broadcast as the node's. */
function checkSent({ hash, status, checkTx, duplicate }: Broadcast): void {
  if (duplicate) throw internalError('tx already exists in cache');
  if (status === 'UNKNOWN' && checkTx === null) {
    throw internalError(
      `the response of the node was lost; it may have received transaction ${hash}; send the same bytes again`,
    );
  }
}

/** The node's prefix of mempool errors in `broadcast_tx_commit`. */
const ofCommit = 'error on broadcastTxCommit: ';

function asCommitError(error: unknown): unknown {
  if (isChainError(error, 'MEMPOOL_REJECTED')) return internalError(`${ofCommit}${error.message}`);
  if (isChainError(error, 'RPC_ERROR')) return internalError(`${ofCommit}${error.facts.data}`);
  return error;
}

/** Deepest nesting of evidence. The evidence types of CometBFT have ten levels. */
const evidenceDepth = 32;

/** Creates the handlers of the transaction methods. Broadcasts go through the broadcaster. */
export function createTxHandlers(
  client: Client,
  results: ResultCache,
  { broadcastCommit }: { readonly broadcastCommit: boolean },
): Readonly<Record<OfTxs, Handler>> {
  const { broadcaster, blocks } = client;

  /** Finds a transaction in the newest blocks, which a node may not have indexed yet. */
  function newest(hash: string): { readonly text: string; readonly height: bigint } | undefined {
    const recent = blocks.transaction(hash);
    if (recent === undefined) return undefined;
    const { height } = recent.block.header;
    const { index, tx, result } = recent.transaction;
    return { text: stringify({ hash, height: height.toString(), index, tx_result: encodeExec(result), tx }), height };
  }

  return {
    async check_tx({ args, lifetime }) {
      const check = await broadcaster.check(args.bytes('tx'), lifetime);
      return { result: { value: encodeCheck(check) }, transient: check.code !== 0 };
    },
    async broadcast_tx_sync({ args, lifetime }) {
      const broadcast = await broadcaster.sync(args.bytes('tx'), lifetime);
      checkSent(broadcast);
      return { result: { value: encodeSent(broadcast) } };
    },
    async broadcast_tx_async({ args, lifetime }) {
      const broadcast = await broadcaster.async(args.bytes('tx'), lifetime);
      checkSent(broadcast);
      return { result: { value: encodeSent(broadcast) } };
    },
    async broadcast_tx_commit({ args, lifetime }) {
      if (!broadcastCommit) throw forbidden('broadcast_tx_commit is disabled on this server. Use broadcast_tx_sync.');
      const broadcast = await broadcaster
        .commit(args.bytes('tx'), { signal: lifetime.signal, joinsDuplicate: false })
        .catch((error: unknown) => {
          throw asCommitError(error);
        });
      if (broadcast.duplicate) throw internalError(`${ofCommit}tx already exists in cache`);
      checkSent(broadcast);
      const { hash, checkTx, inclusion } = broadcast;
      const value = {
        check_tx: encodeCheck(checkTx ?? noExec),
        tx_result: encodeExec(inclusion?.transaction.result ?? noExec),
        hash,
        height: (inclusion?.height ?? 0n).toString(),
      };
      return { result: { value } };
    },
    async broadcast_evidence({ args, lifetime }) {
      const evidence = args.json('evidence');
      if (evidence === undefined) throw internalError('no evidence was provided');
      if (isDeeperThan(evidenceDepth, evidence))
        throw invalidParams(`\`evidence\` must be nested at most ${evidenceDepth} deep`);
      const hash = await broadcaster.evidence(evidence, lifetime);
      // Guess: bytes in results are base64 (docs/chain.md, "Results of broadcasts"). No recording has accepted evidence.
      return { result: { value: { hash: Buffer.from(hash, 'hex').toString('base64') } } };
    },
    async tx({ args, lifetime }) {
      const bytes = args.bytes('hash');
      const hash = Buffer.from(bytes).toString('hex').toUpperCase();
      const prove = args.flag('prove');
      const recent = prove ? undefined : newest(hash);
      if (recent !== undefined) return { result: { text: recent.text }, height: recent.height };
      const params = { hash: Buffer.from(bytes).toString('base64'), prove };
      const { text, height } = await results.read(`tx ${hash} ${prove}`, lifetime, (signal) =>
        client.call('tx', params, {
          signal,
          decode(json) {
            const transaction = asObject(json, 'tx');
            if (textAt(transaction, 'hash') !== hash) throw malformed('it is another transaction');
            return { text: stringify(transaction), height: bigintAt(transaction, 'height'), keep: true };
          },
        }),
      );
      return { result: { text }, height };
    },
  };
}
