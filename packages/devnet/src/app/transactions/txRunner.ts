import { create, toBinary } from '@bufbuild/protobuf';
import type { Any } from '@bufbuild/protobuf/wkt';
import { TxMsgDataSchema } from '../../../../../src/proto/cosmos/base/abci/v1beta1/abci_pb.js';
import type { AbciEvent, TxResult } from '../../abci/abci.ts';
import { AbciError, PlainError, refusalOf, wrapping } from '../runtime/abciErrors.ts';
import { type BlockFacts, type Context, createContext } from '../runtime/context.ts';
import { plainEvent, tagEvents } from '../runtime/events.ts';
import { createGasMeter, type GasMeter } from '../runtime/gas.ts';
import type { DecodedMessage, Router } from '../runtime/keeper.ts';
import type { Branch } from '../state/store.ts';
import { admitTx, emitAdmission, settleFees, type VerifySignature } from './ante.ts';
import type { FeeRule, Fees, TxMode } from './fees.ts';
import { type DecodedTx, decodeTx } from './txBytes.ts';

// The gas that a node reports for a transaction that it cannot decode.
const undecodedGas = 1156n;
/** The gas limit of a simulation, which no transaction reaches. */
const simulatedGas = 10n ** 12n;

/** Executes or checks transactions against a branch of the state. */
export interface TxRunner {
  /**
   * Executes a transaction in `branch`. A rejected transaction changes nothing. A transaction whose messages fail changes only
   * the fee and the sequence.
   */
  readonly deliver: (block: BlockFacts, branch: Branch, tx: Uint8Array) => TxResult;
  /** Executes without checking signatures and without a gas limit, as an estimate. Discard `branch` afterwards. */
  readonly simulate: (block: BlockFacts, branch: Branch, tx: Uint8Array) => TxResult;
  /** Checks without executing the messages. Increments the sequence and charges the fee in `branch`. */
  readonly check: (block: BlockFacts, branch: Branch, tx: Uint8Array) => TxResult;
}

function failed(error: unknown, gas: Pick<GasMeter, 'limit' | 'used'>, events: readonly AbciEvent[]): TxResult {
  const { code, codespace, log } = refusalOf(error);
  return { code, data: null, log, info: '', gasWanted: gas.limit, gasUsed: gas.used, events, codespace };
}

function succeeded(data: Uint8Array, gas: GasMeter, events: readonly AbciEvent[]): TxResult {
  return { code: 0, data, log: '', info: '', gasWanted: gas.limit, gasUsed: gas.used, events, codespace: '' };
}

/** Prefixes an error with the number of the message, except for running out of gas, which is an error of the transaction. */
function atMessage<T>(index: number, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof AbciError && error.codespace === 'sdk' && error.code === 11) throw error;
    return wrapping(`failed to execute message; message index: ${index}`, () => {
      throw error;
    });
  }
}

function runMessage(context: Context, message: DecodedMessage, index: number): { response: Any; events: AbciEvent[] } {
  const attempt = context.fork();
  const [sender = ''] = message.signers;
  const response = atMessage(index, () => message.run(attempt));
  context.merge(attempt);
  const parts: [string, string][] = [
    ['action', message.typeUrl],
    ['sender', sender],
  ];
  // Omitted if an event of the message has an attribute of that name: recorded for scopes and their specifications.
  const hasModule = attempt.events.some((event) => event.attributes.some(({ key }) => key === 'module'));
  if (!hasModule) parts.push(['module', message.typeUrl.split('.')[1] ?? '']);
  const events = [plainEvent('message', parts), ...attempt.events];
  return { response, events: tagEvents(events, 'msg_index', String(index)) };
}

/** Creates the runner for the messages of all keepers. */
export function createTxRunner(router: Router, verify: VerifySignature, rule: FeeRule): TxRunner {
  const open = (block: BlockFacts, branch: Branch, tx: DecodedTx, gasLimit = tx.authInfo.fee?.gasLimit ?? 0n): Context => {
    const gas = createGasMeter(gasLimit);
    return createContext(block, branch, gas, (context, message) => router.decode(message).run(context));
  };

  const refusal = (error: unknown): TxResult => failed(error, { limit: 0n, used: undecodedGas }, []);

  const admissionEvents = (context: Context, tx: DecodedTx, fees: Fees, charged: bigint): readonly AbciEvent[] => {
    const note = context.fork();
    emitAdmission(note, tx, fees, charged);
    return note.events;
  };

  const execute = (block: BlockFacts, branch: Branch, bytes: Uint8Array, mode: TxMode): TxResult => {
    let tx: DecodedTx;
    try {
      tx = decodeTx(router, bytes);
    } catch (error) {
      return refusal(error);
    }
    const admitted = branch.fork();
    const context = open(block, admitted, tx, mode === 'SIMULATE' ? simulatedGas : undefined);
    let fees: Fees;
    try {
      fees = admitTx(context, tx, { mode, rule, verify });
    } catch (error) {
      return failed(error, context.gas, []);
    }
    branch.merge(admitted);
    const paid = [...context.events];
    try {
      const execution = context.fork();
      const results = tx.messages.map((message, index) => runMessage(execution, message, index));
      const settlement = execution.fork();
      settleFees(settlement, tx, fees);
      execution.merge(settlement);
      context.merge(execution);
      branch.merge(admitted);
      const data = create(TxMsgDataSchema, { msgResponses: results.map((result) => result.response) });
      const admission = admissionEvents(context, tx, fees, fees.total);
      const events = [...paid, ...admission, ...results.flatMap((result) => result.events), ...settlement.events];
      return succeeded(toBinary(TxMsgDataSchema, data), context.gas, events);
    } catch (error) {
      if (!(error instanceof AbciError) && !(error instanceof PlainError)) throw error;
      return failed(error, context.gas, [...paid, ...admissionEvents(context, tx, fees, fees.base)]);
    }
  };

  return {
    deliver: (block, branch, bytes) => execute(block, branch, bytes, 'DELIVER'),

    simulate: (block, branch, bytes) => execute(block, branch, bytes, 'SIMULATE'),

    check(block, branch, bytes) {
      let tx: DecodedTx;
      try {
        tx = decodeTx(router, bytes);
      } catch (error) {
        return refusal(error);
      }
      const admitted = branch.fork();
      const context = open(block, admitted, tx);
      try {
        const fees = admitTx(context, tx, { mode: 'CHECK', rule, verify });
        const settlement = context.fork();
        settleFees(settlement, tx, fees);
        context.merge(settlement);
        branch.merge(admitted);
        return succeeded(new Uint8Array(), context.gas, settlement.events);
      } catch (error) {
        return failed(error, context.gas, []);
      }
    },
  };
}
