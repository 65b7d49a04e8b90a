import { create, type DescField, type DescMessage, type FileRegistry, ScalarType, toBinary } from '@bufbuild/protobuf';
import { type ReflectMessage, reflect } from '@bufbuild/protobuf/reflect';

/** Types of the `Any` fields by field name. Every other `Any` holds a `MsgSend`. */
const anyTypes: Readonly<Record<string, string>> = {
  authorization: 'cosmos.bank.v1beta1.SendAuthorization',
  decisionPolicy: 'cosmos.group.v1.ThresholdDecisionPolicy',
  allowance: 'cosmos.feegrant.v1beta1.BasicAllowance',
};

/** The 17 bytes of a scope specification's address. */
const metadataBytes = Uint8Array.of(4, ...Array.from({ length: 16 }, (_, index) => index));

function scalar(type: ScalarType, name: string): string | number | bigint | boolean | Uint8Array {
  switch (type) {
    case ScalarType.STRING:
      if (name === 'denom') return 'goldcoin';
      return /amount|volume|weight/i.test(name) ? '5' : 'w0rd';
    case ScalarType.BYTES:
      return /value/i.test(name) ? Buffer.from('text') : metadataBytes;
    case ScalarType.BOOL:
      return true;
    case ScalarType.INT64:
    case ScalarType.UINT64:
      return 5n;
    default:
      return 5;
  }
}

function messageIn(registry: FileRegistry, field: DescField, desc: DescMessage, depth: number): ReflectMessage {
  if (desc.typeName !== 'google.protobuf.Any') return filledMessage(registry, desc, depth + 1);
  const type = registry.getMessage(anyTypes[field.localName] ?? 'cosmos.bank.v1beta1.MsgSend')!;
  const any = reflect(desc, create(desc));
  any.set(desc.field.typeUrl!, `/${type.typeName}`);
  any.set(desc.field.value!, toBinary(type, filledMessage(registry, type, depth + 1).message));
  return any;
}

/** Creates a message with a value in every field that the chain's descriptors list, nested messages to a depth of five. */
export function filledMessage(registry: FileRegistry, desc: DescMessage, depth = 0): ReflectMessage {
  const message = reflect(desc, create(desc));
  for (const field of desc.fields) {
    if (depth > 5) break;
    if (field.fieldKind === 'scalar') message.set(field, scalar(field.scalar, field.localName));
    else if (field.fieldKind === 'enum') message.set(field, field.enum.values.at(1)!.number);
    else if (field.fieldKind === 'message') message.set(field, messageIn(registry, field, field.message, depth));
    else if (field.fieldKind === 'list') {
      const list = message.get(field);
      if (field.listKind === 'scalar') list.add(scalar(field.scalar, field.localName));
      else if (field.listKind === 'enum') list.add(field.enum.values.at(1)!.number);
      else list.add(messageIn(registry, field, field.message, depth));
    }
  }
  return message;
}
