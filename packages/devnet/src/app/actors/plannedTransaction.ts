import type { Any } from '@bufbuild/protobuf/wkt';
import type { WalletAccount } from '../runtime/wallet.ts';

/** A transaction to be signed: its sender and its message. */
export interface PlannedTransaction {
  readonly actor: WalletAccount;
  readonly message: Any;
  /** The proposal that it concerns. */
  readonly about?: bigint;
}
