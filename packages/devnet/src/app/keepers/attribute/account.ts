import { PlainError, StatusError } from '../../runtime/abciErrors.ts';
import { decodeAddress } from '../../runtime/address.ts';
import { decodeMetadataAddress } from '../../runtime/metadataAddress.ts';

/** Decodes the address of an account or a scope, which can have attributes. undefined for other texts. */
export function holderBytes(account: string): Uint8Array | undefined {
  try {
    return account.startsWith('scope1') ? decodeMetadataAddress('scope', account) : decodeAddress(account);
  } catch (error) {
    if (error instanceof PlainError) return undefined;
    throw error;
  }
}

function whyNone(account: string): string {
  return account === '' ? 'must not be empty' : `must be either an account address or scope metadata address: "${account}"`;
}

/** Decodes the address in a query. The error for other texts is recorded. */
export function requireHolder(account: string): Uint8Array {
  const bytes = holderBytes(account);
  if (bytes === undefined) throw new StatusError('InvalidArgument', `invalid account address: ${whyNone(account)}`);
  return bytes;
}

/** Decodes the address in a message. The error for other texts is inferred. */
export function requireMessageHolder(account: string): Uint8Array {
  const bytes = holderBytes(account);
  if (bytes === undefined) throw new PlainError(`invalid account address: ${whyNone(account)}`);
  return bytes;
}
