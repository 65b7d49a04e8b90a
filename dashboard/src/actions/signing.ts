import {
  createKeySigner,
  encodeJson,
  encodeDraft as encodeTransactionDraft,
  type Signer,
  signTransaction as signMessages,
  type Unsigned as Transaction,
} from '@stele/client/sign';
import { developmentKeys } from './developmentKeys.ts';
import type { MessageJson } from './messages.ts';

// This file is loaded when the visitor first sends something.

/** A transaction with one message, to sign. */
export interface Unsigned extends Omit<Transaction, 'messages'> {
  readonly message: MessageJson;
}

const encoded = ({ message, ...rest }: Unsigned): Transaction => ({ ...rest, messages: [encodeJson(message)] });

/** The transaction without a valid signature, to ask what it costs. */
export function encodeDraft(publicKey: Uint8Array, unsigned: Unsigned): Uint8Array {
  return encodeTransactionDraft(publicKey, encoded(unsigned));
}

/** Signs a transaction. Returns its bytes (TxRaw). Rejects if the signer refuses. */
export function signTransaction(signer: Signer, unsigned: Unsigned): Promise<Uint8Array> {
  return signMessages(signer, encoded(unsigned));
}

/** The signer of an account of the embedded chain. */
export function developmentSigner(id: '8' | '9', address: string): Signer {
  const key = Uint8Array.from(developmentKeys[id].match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
  return createKeySigner(key, address);
}
