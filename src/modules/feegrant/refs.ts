import type { Pinned } from '../../reads/pin.ts';
import { createInterfaceRef, createRef } from '../../schema/builder.ts';
import type { Connection } from '../../schema/connection.ts';
import type {
  AllowedMsgAllowance,
  BasicAllowance,
  FeeAllowance,
  FeeGrant,
  OtherFeeAllowance,
  PeriodicAllowance,
} from './model.ts';

/** References of the module's types. */
export const FeeGrantRef = createRef<Pinned<FeeGrant>>('FeeGrant');
export const FeeGrantConnectionRef = createRef<Connection<Pinned<FeeGrant>>>('FeeGrantConnection');
export const FeeAllowanceRef = createInterfaceRef<Pinned<FeeAllowance>>('FeeAllowance');
export const BasicAllowanceRef = createRef<Pinned<BasicAllowance>>('BasicAllowance');
export const PeriodicAllowanceRef = createRef<Pinned<PeriodicAllowance>>('PeriodicAllowance');
export const AllowedMsgAllowanceRef = createRef<Pinned<AllowedMsgAllowance>>('AllowedMsgAllowance');
export const OtherFeeAllowanceRef = createRef<Pinned<OtherFeeAllowance>>('OtherFeeAllowance');
