import { readAddress } from '../../../format/addresses.ts';
import { exploreTexts } from '../../../language/explore/texts.ts';
import {
  type InputInfo,
  kindOf,
  nameOf,
  nullable,
  readTypes,
  type TypeInfo,
  type TypeMap,
  type TypeRef,
  type Types,
} from './types.ts';

/** What a visitor has entered: texts, checks, lists, and the members of objects. undefined: nothing. */
export type Draft = string | boolean | readonly Draft[] | DraftObject | undefined;

/** The members of an object that was entered. */
export interface DraftObject {
  readonly [name: string]: Draft;
}

/** What an entered value was read as. */
export interface Reading {
  /** The value as a variable; undefined if nothing was entered. */
  readonly value: unknown;
  /** Why values are refused, by their places, such as `pagination.limit` or `denoms.0`. */
  readonly problems: Readonly<Record<string, string>>;
}

/** What a form asks for in a place. */
export type Control =
  | { readonly kind: 'text' | 'check' | 'json'; readonly type: string }
  | { readonly kind: 'choice'; readonly values: readonly string[] }
  | { readonly kind: 'list'; readonly item: TypeRef }
  | { readonly kind: 'object' | 'oneOf'; readonly members: readonly InputInfo[] };

/** The control for a type. Types that the schema does not have are texts. */
export function controlOf(type: TypeRef, types: TypeMap): Control {
  const inner = nullable(type);
  if (inner.kind === 'LIST' && inner.ofType) return { kind: 'list', item: inner.ofType };
  const name = inner.name ?? '';
  const info = types.get(name);
  if (info?.kind === 'ENUM') return { kind: 'choice', values: (info.enumValues ?? []).map((value) => value.name) };
  if (info?.kind === 'INPUT_OBJECT')
    return {
      kind: info.isOneOf === true ? 'oneOf' : 'object',
      members: (info.inputFields ?? []).filter((each) => each.name !== '_empty'),
    };
  if (name === 'Boolean') return { kind: 'check', type: name };
  return { kind: name === 'JSON' ? 'json' : 'text', type: name };
}

/** Reads the types of arguments and the types within them. */
export function readInputTypes(types: Types, args: readonly InputInfo[]): Promise<TypeMap> {
  const namesIn = (inputs: readonly InputInfo[]): string[] =>
    inputs.filter(({ type }) => kindOf(type) !== 'SCALAR').map(({ type }) => nameOf(type));
  return readTypes(types, namesIn(args), ({ inputFields }: TypeInfo) => namesIn(inputFields ?? []), 16);
}

/** The bounds of whole numbers. */
const ranges: Readonly<Record<string, readonly [least: bigint, most: bigint]>> = {
  Int: [-(2n ** 31n), 2n ** 31n - 1n],
  Int64: [-(2n ** 63n), 2n ** 63n - 1n],
  UInt64: [0n, 2n ** 64n - 1n],
  UInt32: [0n, 2n ** 32n - 1n],
  // An amount on the chain is an integer of 256 bits.
  BaseUnits: [0n, 2n ** 256n - 1n],
};

/** What a text of a type looks like, for the hint beside its field. undefined for other types. */
export function hintOf(type: string): string | undefined {
  const hints: Readonly<Record<string, string>> = exploreTexts.value.hints;
  return hints[type];
}

const forms = {
  Float: /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i,
  Decimal: /^-?\d+(\.\d+)?$/,
  Hex: /^(0x)?([0-9a-f]{2})*$/i,
  DateTime: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/,
  Duration: /^-?\d+(\.\d{1,9})?s$/,
} as const;

const isFormed = (type: string): type is keyof typeof forms => Object.hasOwn(forms, type);

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const base64 = (bytes: Uint8Array): string => btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));

/** Bytes in base64: of a text that is base64 already, of hex digits after `0x`, of a text in quotes, or of a JSON object, whose text is meant. undefined for others. */
function bytesOf(text: string): string | undefined {
  if (text.startsWith('"')) return isJson(text) ? base64(new TextEncoder().encode(JSON.parse(text))) : undefined;
  if (/^[[{]/.test(text)) return isJson(text) ? base64(new TextEncoder().encode(text)) : undefined;
  const [, digits] = /^0x((?:[0-9a-f]{2})*)$/i.exec(text) ?? [];
  if (digits !== undefined) return base64(Uint8Array.from(digits.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16)));
  return /^[A-Za-z0-9+/]*={0,2}$/.test(text) && text.length % 4 === 0 ? text : undefined;
}

/** A value, or why there is none. */
type TextReading = { readonly value: unknown } | { readonly problem: string };

/** Reads the text of a scalar. It is not empty. */
function readText(type: string, entered: string): TextReading {
  // The spaces of a text are its own.
  if (type === 'String' || type === 'ID') return { value: entered };
  const text = entered.trim();
  const [least, most] = ranges[type] ?? [];
  if (least !== undefined && most !== undefined) {
    if (!/^-?\d+$/.test(text)) return { problem: exploreTexts.value.form.wholeNumber };
    const number = BigInt(text);
    if (number < least || number > most) return { problem: exploreTexts.value.form.between(least.toString(), most.toString()) };
    return { value: type === 'Int' || type === 'UInt32' ? Number(text) : number.toString() };
  }
  if (type === 'JSON') return isJson(text) ? { value: JSON.parse(text) } : { problem: exploreTexts.value.form.notJson };
  if (type === 'Base64') {
    const value = bytesOf(text);
    return value === undefined ? { problem: exploreTexts.value.form.bytes } : { value };
  }
  // The type names the beginning of the addresses.
  const [, prefix] = /^Address (.+)$/.exec(type) ?? [];
  if (prefix !== undefined) {
    const { value, problem = '' } = readAddress(text, prefix);
    return value === undefined ? { problem } : { value };
  }
  if (isFormed(type) && !forms[type].test(text)) return { problem: exploreTexts.value.forms[type] };
  return { value: type === 'Float' ? Number(text) : text };
}

const none: Reading = { value: undefined, problems: {} };

const isObject = (draft: Draft): draft is DraftObject => typeof draft === 'object' && !Array.isArray(draft);

/** The reading of several places within one. */
function joined(value: unknown, parts: readonly Reading[]): Reading {
  return { value, problems: Object.assign({}, ...parts.map(({ problems }) => problems)) };
}

/**
 * Reads what was entered in a place. `isNeeded`: the place has a value even if nothing was entered, because it is an item of a list, a member that must be
 * set, or the one that was chosen.
 */
export function readDraft(type: TypeRef, draft: Draft, types: TypeMap, place: string, isNeeded = false): Reading {
  const control = controlOf(type, types);
  const refusal = (problem: string): Reading => ({ value: undefined, problems: { [place]: problem } });
  switch (control.kind) {
    case 'check':
      return draft === true || isNeeded ? { value: draft === true, problems: {} } : none;
    case 'choice':
      if (typeof draft === 'string' && draft !== '') return { value: draft, problems: {} };
      return isNeeded ? refusal(exploreTexts.value.form.choose) : none;
    case 'text':
    case 'json': {
      const text = typeof draft === 'string' ? draft : '';
      if (text === '' && !isNeeded) return none;
      if (text === '') return control.type === 'String' ? { value: '', problems: {} } : refusal(exploreTexts.value.form.enter);
      const reading = readText(control.type, text);
      return 'problem' in reading ? refusal(reading.problem) : { value: reading.value, problems: {} };
    }
    case 'list': {
      if (!Array.isArray(draft) || (draft.length === 0 && !isNeeded)) return isNeeded ? { value: [], problems: {} } : none;
      const items = draft.map((item, index) => readDraft(control.item, item, types, `${place}.${index}`, true));
      return joined(
        items.map(({ value }) => value),
        items,
      );
    }
    case 'oneOf': {
      const member = isObject(draft) ? control.members.find(({ name }) => draft[name] !== undefined) : undefined;
      if (member === undefined || !isObject(draft)) return isNeeded ? refusal(exploreTexts.value.form.chooseOne) : none;
      const reading = readDraft(member.type, draft[member.name], types, `${place}.${member.name}`, true);
      return joined({ [member.name]: reading.value }, [reading]);
    }
    case 'object': {
      if (!isObject(draft)) return isNeeded ? readMembers(control.members, {}, types, place) : none;
      return readMembers(control.members, draft, types, place);
    }
  }
}

/** Reads the members of an object, or the arguments of a method, whose place is empty. Members without a value are absent. */
export function readMembers(members: readonly InputInfo[], draft: DraftObject, types: TypeMap, place = ''): Reading {
  const readings = members.map(({ name, type }) => {
    const isNeeded = type.kind === 'NON_NULL';
    return { name, ...readDraft(type, draft[name], types, place === '' ? name : `${place}.${name}`, isNeeded) };
  });
  const entered = readings.filter(({ value }) => value !== undefined).map(({ name, value }) => [name, value]);
  return joined(Object.fromEntries(entered), readings);
}

/** The text of base64 if it is JSON, which is how it was entered. Else the base64. */
function textOfBytes(value: string): string {
  try {
    const bytes = Uint8Array.from(atob(value), (character) => character.charCodeAt(0));
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return /^[[{]/.test(text) && isJson(text) ? text : value;
  } catch {
    return value;
  }
}

/** The draft of a value: what a visitor would have entered. Values that do not fit the type are left out. */
export function draftOf(type: TypeRef, value: unknown, types: TypeMap): Draft {
  if (value === undefined || value === null) return undefined;
  const control = controlOf(type, types);
  switch (control.kind) {
    case 'check':
      return value === true;
    case 'choice':
      return String(value);
    case 'json':
      return JSON.stringify(value, null, 2);
    case 'text':
      if (typeof value === 'object') return undefined;
      return control.type === 'Base64' ? textOfBytes(String(value)) : String(value);
    case 'list':
      return Array.isArray(value) ? value.map((item) => draftOf(control.item, item, types) ?? '') : undefined;
    case 'object':
    case 'oneOf':
      return typeof value === 'object' ? draftOfMembers(control.members, value, types) : undefined;
  }
}

/** The draft of the members of an object. */
export function draftOfMembers(members: readonly InputInfo[], value: object, types: TypeMap): DraftObject {
  return Object.fromEntries(
    members
      .map(({ name, type }): [string, Draft] => [name, draftOf(type, Reflect.get(value, name), types)])
      .filter(([, draft]) => draft !== undefined),
  );
}

/** The draft of a new item of a list, or of a member that was added or chosen. */
export function emptyDraft(type: TypeRef, types: TypeMap): Draft {
  const { kind } = controlOf(type, types);
  if (kind === 'list') return [];
  if (kind === 'check') return false;
  return kind === 'object' || kind === 'oneOf' ? {} : '';
}
