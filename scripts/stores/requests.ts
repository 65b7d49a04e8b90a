import { create, type DescField, type DescMessage, type DescMethodUnary, ScalarType, toBinary } from '@bufbuild/protobuf';
import { isJsonObject, type JsonValue } from '../../src/chain/wire/json.ts';

/** The most requests of one method. */
const mostRequests = 4;

/** The most values that are kept of one name. */
const mostValues = 6;

const normal = (name: string): string => name.replaceAll('_', '').toLowerCase();

/** The values that were seen on the chain, by the name of their field, and its addresses. */
export function createValues() {
  const byName = new Map<string, Set<string>>();
  const add = (name: string, value: string): void => {
    const values = byName.get(name) ?? new Set();
    if (values.size < mostValues && value !== '') values.add(value);
    byName.set(name, values);
  };

  function harvest(name: string, json: JsonValue): void {
    if (Array.isArray(json)) for (const each of json) harvest(name, each);
    else if (isJsonObject(json)) for (const [key, value] of Object.entries(json)) harvest(key, value as JsonValue);
    else if (typeof json === 'string' || typeof json === 'number' || typeof json === 'bigint') {
      const text = String(json);
      if (text.length > 200) return;
      add(normal(name), text);
      if (/^[a-z]{1,20}valoper1[a-z0-9]{30,}$/.test(text)) add('*validator', text);
      else if (/^[a-z]{1,20}1[a-z0-9]{38,58}$/.test(text)) add('*address', text);
    }
  }

  /** The values for a field of a request. */
  function forField({ name, fieldKind, ...field }: DescField): readonly string[] {
    if (fieldKind !== 'scalar' || !('scalar' in field)) return [];
    const same = [...(byName.get(normal(name)) ?? [])];
    if (field.scalar !== ScalarType.STRING) return name.endsWith('id') && same.length === 0 ? ['1', '2'] : same;
    if (/val/.test(name) && !/value/.test(name)) return [...(byName.get('*validator') ?? same)];
    if (/addr|owner|grant|voter|deposit|account|admin|creator|member|policy|delegator|holder/.test(name))
      return [...(byName.get('*address') ?? same)];
    if (same.length > 0) return same;
    if (name === 'id') return [...(byName.get('*address') ?? [])];
    return /denom/.test(name) ? [...(byName.get('denom') ?? [])] : [];
  }

  return { harvest, forField };
}

type Values = ReturnType<typeof createValues>;

/** The value of a scalar field from its text; undefined if the text is none. */
function scalarOf(scalar: ScalarType, text: string): unknown {
  if (scalar === ScalarType.STRING) return text;
  if (!/^-?\d{1,18}$/.test(text)) return undefined;
  const isSmall = [ScalarType.INT32, ScalarType.UINT32, ScalarType.SINT32].includes(scalar);
  const isLarge = [ScalarType.INT64, ScalarType.UINT64, ScalarType.SINT64].includes(scalar);
  return isSmall ? Number(text) : isLarge ? BigInt(text) : undefined;
}

/** Encoded requests of a method: the empty one, and some that are filled with the values. */
export function requestsOf({ input }: DescMethodUnary, values: Values): readonly Uint8Array[] {
  const requests = new Map<string, Uint8Array>();
  for (let index = -1; index < mostRequests && requests.size < mostRequests; index += 1) {
    const init: Record<string, unknown> = {};
    for (const field of input.fields) {
      const all = values.forField(field);
      const text = all[index % Math.max(1, all.length)];
      const value = index < 0 || text === undefined || field.scalar === undefined ? undefined : scalarOf(field.scalar, text);
      if (value !== undefined) init[field.localName] = value;
    }
    const bytes = toBinary(input, create<DescMessage>(input, init));
    requests.set(Buffer.from(bytes).toString('hex'), bytes);
  }
  return [...requests.values()];
}

/** Whether a message can contain a time, a duration or a value of any type. */
export function mayContainTime(message: DescMessage, seen = new Set<string>()): boolean {
  if (['google.protobuf.Timestamp', 'google.protobuf.Duration', 'google.protobuf.Any'].includes(message.typeName)) return true;
  if (seen.has(message.typeName)) return false;
  seen.add(message.typeName);
  return message.fields.some(
    (field) =>
      (field.message !== undefined && mayContainTime(field.message, seen)) || /time|expir|height|block|epoch/.test(field.name),
  );
}
