import { AttributeType } from '../../../../proto/provenance/attribute/v1/attribute_pb.js';
import { PlainError } from '../../runtime/abciErrors.ts';

/** Largest value in bytes: the default of the module (recorded). */
export const maxValueLength = 10_000;

const maxConcreteType = 200;

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** What a text of each type looks like; binary types are anything (chain.md 4). The limits of the texts are inferred. */
const looksRight: Partial<Record<AttributeType, (text: string) => boolean>> = {
  [AttributeType.UUID]: (text) => /^[0-9a-f]{8}(-?[0-9a-f]{4}){3}-?[0-9a-f]{12}$/i.test(text),
  [AttributeType.JSON]: isJson,
  [AttributeType.STRING]: (text) => text !== '',
  [AttributeType.URI]: (text) => text !== '' && URL.canParse(text, 'http://base'),
  [AttributeType.INT]: (text) => /^[+-]?[0-9]+$/.test(text),
  [AttributeType.FLOAT]: (text) => /^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$/.test(text),
};

/** The value as it is stored: texts without spaces at their ends. Refuses one that is not of its type; these texts are not recorded. */
export function checkedValue(type: AttributeType, value: Uint8Array): Uint8Array {
  if (value.length > maxValueLength)
    throw new PlainError(`attribute value length of ${value.length} exceeds max length ${maxValueLength}`);
  if (type === AttributeType.PROTO || type === AttributeType.BYTES) {
    if (value.length === 0) throw new PlainError('invalid value: empty');
    return value;
  }
  const text = Buffer.from(value).toString().trim();
  const right = looksRight[type];
  if (right === undefined || !right(text)) {
    throw new PlainError(`invalid attribute value for assigned type: ATTRIBUTE_TYPE_${AttributeType[type] ?? type}`);
  }
  return new Uint8Array(Buffer.from(text));
}

/** Refuses the name of a type that is too long; the text is not recorded. */
export function requireConcreteType(name: string): void {
  if (name.length > maxConcreteType)
    throw new PlainError(`invalid concrete type: length ${name.length} exceeds ${maxConcreteType}`);
}
