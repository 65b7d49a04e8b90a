import { type DescMessage, fromBinary, isMessage, type Registry, toBinary } from '@bufbuild/protobuf';
import { AnySchema } from '@bufbuild/protobuf/wkt';
import { type AnyMessage, isContractMessage, typeNameOf } from '../../chain/wire/protoJson.ts';
import { badInput } from '../../reads/errors.ts';
import type { Pin } from '../../reads/pin.ts';
import { typesOf } from './codec.ts';
import { encodeRequest } from './module.ts';

interface Fields {
  readonly [name: string]: unknown;
}

const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value);

/** The fields of a message, with the messages of contracts in base64, which people write as JSON. */
function withContractBytes(types: Registry, desc: DescMessage, fields: Fields): Fields {
  const encoded = (name: string, value: unknown): unknown => {
    const field = desc.fields.find((each) => each.name === name || each.jsonName === name);
    if (field === undefined || !isFields(value)) return value;
    if (isContractMessage(field)) return Buffer.from(JSON.stringify(value)).toString('base64');
    const inner =
      field.message?.typeName === 'google.protobuf.Any' ? types.getMessage(typeNameOf(`${value['@type']}`)) : field.message;
    return inner === undefined ? value : withContractBytes(types, inner, value);
  };
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.map((each: unknown) => encoded(name, each)) : encoded(name, value),
    ]),
  );
}

/** Replaces the type URLs that protobuf JSON makes: the chain knows types by `/name`, without a host, also in messages within messages. */
function withChainTypes(types: Registry, value: unknown): void {
  if (isMessage(value, AnySchema)) {
    const name = typeNameOf(value.typeUrl);
    value.typeUrl = `/${name}`;
    const desc = types.getMessage(name);
    if (desc !== undefined) value.value = chainBytes(types, desc, value.value);
  } else if (typeof value === 'object' && value !== null && !(value instanceof Uint8Array))
    for (const each of Object.values(value)) withChainTypes(types, each);
}

function chainBytes(types: Registry, desc: DescMessage, bytes: Uint8Array): Uint8Array {
  const message = fromBinary(desc, bytes);
  withChainTypes(types, message);
  return toBinary(desc, message);
}

/**
 * Encodes a message that is protobuf JSON with `@type`, of any type that the chain describes. The message of a contract may be its JSON. Rejects with
 * BAD_USER_INPUT, which names the field.
 */
export async function messageInput(pin: Pin, argument: string, json: unknown): Promise<AnyMessage> {
  if (!isFields(json)) throw badInput(argument, JSON.stringify(json), 'an object');
  const { '@type': url, ...fields } = json;
  const types = await typesOf(pin);
  const name = typeof url === 'string' ? url.replace(/^\//, '') : '';
  const desc = name.length > 256 ? undefined : types.getMessage(name);
  if (desc === undefined)
    throw badInput(`${argument}.@type`, String(url), 'a message type of the chain, such as `/cosmos.bank.v1beta1.MsgSend`');
  const bytes = encodeRequest(types, desc, argument, withContractBytes(types, desc, fields));
  return { type: `/${name}`, value: chainBytes(types, desc, bytes) };
}
