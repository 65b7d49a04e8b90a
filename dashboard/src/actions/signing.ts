import { createRegistry } from '@bufbuild/protobuf';
import { createKeySigner, encodeJson, knownMessages, type Message, type Signer } from '@stele/client/sign';
import { developmentKeys } from './developmentKeys.ts';
import type { MessageJson } from './messages.ts';

// This file is loaded when the visitor first sends something.

export { encodeDraft, signTransaction } from '@stele/client/sign';

/** Whether the messages within a message have descriptors that come with the signer. */
function isKnown({ '@type': type, messages = [] }: MessageJson): boolean {
  const inner = Array.isArray(messages) ? messages : [];
  return [type, ...inner.map((each) => String(Object(each)['@type']))].every(
    (each) => knownMessages.getMessage(each.slice(each.lastIndexOf('/') + 1)) !== undefined,
  );
}

/** Encodes a message. Loads more descriptors if it needs them. Rejects if there are none, or the JSON does not fit them. */
export async function encodeAny(message: MessageJson): Promise<Message> {
  if (isKnown(message)) return encodeJson(message);
  const { descriptors, withBytes } = await import('./descriptors.ts');
  return encodeJson(withBytes(message), createRegistry(knownMessages, descriptors));
}

/** The signer of an account of the embedded chain. */
export function developmentSigner(id: '8' | '9', address: string): Signer {
  const key = Uint8Array.from(developmentKeys[id].match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
  return createKeySigner(key, address);
}
