import type { Any } from '@bufbuild/protobuf/wkt';
import type { WalletAccount } from '../runtime/wallet.ts';

/** A message that somebody wants to send. */
export interface Deed {
  readonly actor: WalletAccount;
  readonly message: Any;
  /** The proposal that it is about. */
  readonly about?: bigint;
}
