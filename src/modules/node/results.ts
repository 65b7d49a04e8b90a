import { arrayAt, asObject, bigintAt, booleanAt, bytesAt, intAt, malformed, objectAt, textAt } from '../../chain/decode.ts';
import type { JsonObject, JsonValue } from '../../chain/json.ts';
import { type ConsensusParams, decodeConsensusParams } from './consensusParams.ts';
import type { PublicKey } from './status.ts';

/** An event of a transaction or block, as on the wire. */
export interface Event {
  readonly type: string;
  readonly attributes: readonly { readonly key: string; readonly value: string; readonly index: boolean }[];
}

/** What executing a transaction gave. CheckTx answers in the same shape. `data` is base64; null when there is none. */
export interface TxExec {
  readonly code: number;
  readonly codespace: string;
  readonly log: string;
  readonly info: string;
  readonly data: string | null;
  readonly gasWanted: bigint;
  readonly gasUsed: bigint;
  readonly events: readonly Event[];
}

/** A change of the validator set; power 0 removes. */
export interface ValidatorUpdate {
  readonly publicKey: PublicKey;
  readonly power: bigint;
}

/** What executing a block gave. `appHash` in upper case hex. */
export interface BlockResults {
  readonly height: bigint;
  readonly txsResults: readonly TxExec[];
  readonly finalizeBlockEvents: readonly Event[];
  readonly validatorUpdates: readonly ValidatorUpdate[];
  readonly consensusParamUpdates: ConsensusParams | null;
  readonly appHash: string;
}

/** Reads one event. */
export function decodeEvent(json: JsonValue): Event {
  const event = asObject(json, 'event');
  return {
    type: textAt(event, 'type'),
    attributes: arrayAt(event, 'attributes').map((item) => {
      const attribute = asObject(item, 'attribute');
      return { key: textAt(attribute, 'key'), value: textAt(attribute, 'value'), index: booleanAt(attribute, 'index') };
    }),
  };
}

/** Reads what executing or checking a transaction gave; members that a `Tx` event leaves out are zero. */
export function decodeExec(json: JsonValue): TxExec {
  const result = asObject(json, 'result of a transaction');
  const data = textAt(result, 'data');
  return {
    code: intAt(result, 'code'),
    codespace: textAt(result, 'codespace'),
    log: textAt(result, 'log'),
    info: textAt(result, 'info'),
    data: data === '' ? null : data,
    gasWanted: bigintAt(result, 'gas_wanted'),
    gasUsed: bigintAt(result, 'gas_used'),
    events: arrayAt(result, 'events').map(decodeEvent),
  };
}

/** The wire names of the kinds of validator keys, by the member of the protobuf's oneof. That of secp256k1 is a guess by analogy. */
const keyTypes: Readonly<Record<string, string>> = {
  ed25519: 'tendermint/PubKeyEd25519',
  secp256k1: 'tendermint/PubKeySecp256k1',
};

function decodeUpdate(json: JsonValue): ValidatorUpdate {
  const update = asObject(json, 'validator update');
  const value = objectAt(objectAt(objectAt(update, 'pub_key'), 'Sum'), 'value');
  const [kind] = Object.keys(value);
  const type = kind === undefined ? undefined : keyTypes[kind];
  if (kind === undefined || type === undefined) throw malformed('a validator key is of no known kind');
  return { publicKey: { type, value: textAt(value, kind) }, power: bigintAt(update, 'power') };
}

/** Reads the result of `block_results` (chain.md 1.6). */
export function decodeResults(json: JsonValue): BlockResults {
  const result: JsonObject = asObject(json, 'block_results');
  const updates = result.consensus_param_updates;
  return {
    height: bigintAt(result, 'height'),
    txsResults: arrayAt(result, 'txs_results').map(decodeExec),
    finalizeBlockEvents: arrayAt(result, 'finalize_block_events').map(decodeEvent),
    validatorUpdates: arrayAt(result, 'validator_updates').map(decodeUpdate),
    consensusParamUpdates: updates == null ? null : decodeConsensusParams(asObject(updates, 'consensus_param_updates')),
    appHash: hexOf(bytesAt(result, 'app_hash')),
  };
}

/** Bytes in upper case hex; empty for none. */
export function hexOf(bytes: Uint8Array | undefined): string {
  return Buffer.from(bytes ?? [])
    .toString('hex')
    .toUpperCase();
}
