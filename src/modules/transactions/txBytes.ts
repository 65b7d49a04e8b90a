import type { Registry } from '@bufbuild/protobuf';
import { bech32 } from '@scure/base';
import type { DecodedTx } from '../../chain/transactions/tx.ts';
import type { JsonValue } from '../../chain/wire/json.ts';
import { type AnyMessage, messageJson } from '../../chain/wire/protoJson.ts';
import { TxSchema } from '../../proto/cosmos/tx/v1beta1/tx_pb.js';
import { addressBytes } from '../../reads/input.ts';
import { fromAny } from '../any/codec.ts';

/** The bech32 address of these bytes. */
export function addressText(prefix: string, bytes: Uint8Array): string {
  return bech32.encode(prefix, bech32.toWords(bytes), 128);
}

/** The bech32 prefix of an address in the messages that belongs to a signer; undefined if there is none. */
export function provenPrefix({ body }: DecodedTx, signers: readonly Uint8Array[]): string | undefined {
  for (const { value } of body.messages) {
    const text = Buffer.from(value).toString('latin1');
    for (const [address = ''] of text.matchAll(/[a-z]{1,20}1[02-9ac-hj-np-z]{38}/g)) {
      const bytes = addressBytes(address);
      if (bytes && signers.some((signer) => Buffer.compare(signer, bytes) === 0))
        return address.slice(0, address.lastIndexOf('1'));
    }
  }
  return undefined;
}

/** The messages of a transaction. */
export function messagesOf({ body }: DecodedTx): readonly AnyMessage[] {
  return body.messages.map(fromAny);
}

/**
 * A transaction in protobuf JSON. The bytes of a `TxRaw` also decode as a `Tx`. A message or key whose type is not in the
 * registry is `{"@type", "value"}` with its bytes.
 */
export function txJson(registry: Registry, bytes: Uint8Array): JsonValue {
  return messageJson(registry, registry.getMessage(TxSchema.typeName) ?? TxSchema, bytes);
}
