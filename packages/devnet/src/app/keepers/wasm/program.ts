import type { JsonValue } from '@bufbuild/protobuf';
import type { Context } from '../../runtime/context.ts';
import type { StoreView } from '../../state/store.ts';
import { statePrefix, wasmStore } from './state.ts';

/** The message of an error of a contract. */
export class ContractError extends Error {
  override readonly name = 'ContractError';
}

/** The attributes that a contract writes to its event `wasm`. */
export type Attributes = readonly (readonly [key: string, value: string])[];

/** The fields of the one member of a message. */
export type Fields = Readonly<Record<string, JsonValue>>;

/** The state of one contract. Values are JSON. */
export interface ContractState {
  get(key: string): JsonValue | undefined;
  /** The keys under a prefix after `after`, in order. */
  keys(prefix: string, after?: string): Iterable<string>;
}

/** The state of a contract that is executed. */
export interface ContractWriter extends ContractState {
  set(key: string, value: JsonValue): void;
  delete(key: string): void;
}

/** Opens the state of a contract. */
export function contractState(state: StoreView, address: string): ContractState {
  const prefix = statePrefix(address);
  return {
    get(key) {
      const stored = state.get(wasmStore, prefix + key);
      return stored === undefined ? undefined : JSON.parse(Buffer.from(stored).toString());
    },
    *keys(start, after) {
      for (const { key } of state.entries(wasmStore, prefix + start)) {
        const ownKey = key.slice(prefix.length);
        if (after === undefined || ownKey > after) yield ownKey;
      }
    },
  };
}

/** Opens the state of a contract for writing. */
export function contractWriter(context: Context, address: string): ContractWriter {
  const prefix = statePrefix(address);
  return {
    ...contractState(context, address),
    set: (key, value) => context.set(wasmStore, prefix + key, Buffer.from(JSON.stringify(value))),
    delete: (key) => context.delete(wasmStore, prefix + key),
  };
}

function isFields(value: JsonValue | undefined): value is Fields & JsonValue {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The fields of a message that is an object. The text for other JSON is recorded. */
export function fieldsOf(type: string, message: JsonValue | undefined): Fields {
  if (isFields(message)) return message;
  throw new ContractError(`Error parsing into type ${type}: Expected to parse either a \`true\`, \`false\`, or a \`null\`.`);
}

/** The variant that a message names, and its fields. The text for an unknown one is recorded. */
export function variantOf<N extends string>(type: string, names: readonly N[], message: JsonValue): readonly [N, Fields] {
  const [asked = '', fields] = Object.entries(fieldsOf(type, message))[0] ?? [];
  const name = names.find((each) => each === asked);
  const list = names.map((each) => `\`${each}\``).join(', ');
  if (name === undefined) {
    throw new ContractError(`Error parsing into type ${type}: unknown variant \`${asked}\`, expected one of ${list}`);
  }
  return [name, fieldsOf(type, fields)];
}

/** A field with a text. */
export function textIn(type: string, fields: Fields, name: string): string {
  const value = fields[name];
  if (typeof value === 'string') return value;
  throw new ContractError(`Error parsing into type ${type}: missing field \`${name}\``);
}
