import { AttributeType } from '../../../../../../src/proto/provenance/attribute/v1/attribute_pb.js';
import { PlainError } from '../../runtime/abciErrors.ts';

/** Largest size of a value in bytes: the default of the module (recorded). */
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

/**
 * The format of each type. Binary types accept any value (docs/chain.md, "Attributes"). The limits of the texts are inferred.
 */
const looksRight: Partial<Record<AttributeType, (text: string) => boolean>> = {
  [AttributeType.UUID]: (text) => /^[0-9a-f]{8}(-?[0-9a-f]{4}){3}-?[0-9a-f]{12}$/i.test(text),
  [AttributeType.JSON]: isJson,
  [AttributeType.STRING]: (text) => text !== '',
  [AttributeType.URI]: (text) => text !== '' && URL.canParse(text, 'http://base'),
  [AttributeType.INT]: (text) => /^[+-]?[0-9]+$/.test(text),
  [AttributeType.FLOAT]: (text) => /^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$/.test(text),
};

/**
 * Returns the value to store. Texts are trimmed. Throws if the value does not match its type; these errors are not recorded.
 */
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

/** Throws if the name of a concrete type is too long. The error is not recorded. */
export function requireConcreteType(name: string): void {
  if (name.length > maxConcreteType)
    throw new PlainError(`invalid concrete type: length ${name.length} exceeds ${maxConcreteType}`);
}
