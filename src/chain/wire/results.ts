import type { Event, TxExec } from '../base/execution.ts';
import { arrayAt, asObject, bigintAt, booleanAt, intAt, malformed, objectAt, textAt } from './decode.ts';
import type { JsonObject, JsonValue } from './json.ts';

/** A change of the validator set. Power 0 removes the validator. The key's type is its Amino name, its value base64. */
export interface ValidatorUpdate {
  readonly publicKey: { readonly type: string; readonly value: string };
  readonly power: bigint;
}

/** Changes of consensus parameters in a block. A group is null if it did not change. `maxAgeDuration` is in nanoseconds. */
export interface ConsensusParamUpdates {
  readonly block: { readonly maxBytes: bigint; readonly maxGas: bigint } | null;
  readonly evidence: { readonly maxAgeNumBlocks: bigint; readonly maxAgeDuration: bigint; readonly maxBytes: bigint } | null;
  readonly validator: { readonly pubKeyTypes: readonly string[] } | null;
  readonly version: { readonly app: bigint } | null;
  readonly abci: { readonly voteExtensionsEnableHeight: bigint } | null;
}

/** Decodes an event. */
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

/** Decodes the result of executing or checking a transaction. Members that a `Tx` event omits are zero. */
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

/** Amino names of key types, by the member of the protobuf oneof. Recordings show ed25519; secp256k1 is inferred by analogy. */
const keyTypes: ReadonlyMap<string, string> = new Map([
  ['ed25519', 'tendermint/PubKeyEd25519'],
  ['secp256k1', 'tendermint/PubKeySecp256k1'],
]);

/** Decodes a validator update. A key of an unknown type keeps its protobuf name. */
export function decodeValidatorUpdate(json: JsonValue): ValidatorUpdate {
  const update = asObject(json, 'validator update');
  const sum = objectAt(objectAt(update, 'pub_key'), 'Sum');
  const value = objectAt(sum, 'value');
  const [kind] = Object.keys(value);
  if (kind === undefined) throw malformed('a validator update has no key');
  return {
    publicKey: { type: keyTypes.get(kind) ?? textAt(sum, 'type'), value: textAt(value, kind) },
    power: bigintAt(update, 'power'),
  };
}

/** Decodes changes of consensus parameters. Omitted members of a group are zero (docs/chain.md, "JSON of the node RPC"). */
export function decodeParamUpdates(json: JsonObject): ConsensusParamUpdates {
  const group = <T>(name: string, read: (object: JsonObject) => T): T | null => {
    const value = json[name];
    return value === null || value === undefined ? null : read(asObject(value, name));
  };
  return {
    block: group('block', (of) => ({ maxBytes: bigintAt(of, 'max_bytes'), maxGas: bigintAt(of, 'max_gas') })),
    evidence: group('evidence', (of) => ({
      maxAgeNumBlocks: bigintAt(of, 'max_age_num_blocks'),
      maxAgeDuration: bigintAt(of, 'max_age_duration'),
      maxBytes: bigintAt(of, 'max_bytes'),
    })),
    validator: group('validator', (of) => ({
      pubKeyTypes: arrayAt(of, 'pub_key_types').map((type) => {
        if (typeof type !== 'string') throw malformed('a key type is not text');
        return type;
      }),
    })),
    version: group('version', (of) => ({ app: bigintAt(of, 'app') })),
    abci: group('abci', (of) => ({ voteExtensionsEnableHeight: bigintAt(of, 'vote_extensions_enable_height') })),
  };
}
