import { createInterfaceRef, createRef } from '../../graphql/builder.ts';
import type { Connection } from '../../graphql/connection.ts';
import type { Pinned } from '../pin.ts';
import type {
  AllowedMsgAllowance,
  BasicAllowance,
  FeeAllowance,
  FeeGrant,
  OtherFeeAllowance,
  PeriodicAllowance,
} from './model.ts';

/** Names of the module's types. */
export const FeeGrantRef = createRef<Pinned<FeeGrant>>('FeeGrant');
export const FeeGrantConnectionRef = createRef<Connection<Pinned<FeeGrant>>>('FeeGrantConnection');
export const FeeAllowanceRef = createInterfaceRef<Pinned<FeeAllowance>>('FeeAllowance');
export const BasicAllowanceRef = createRef<Pinned<BasicAllowance>>('BasicAllowance');
export const PeriodicAllowanceRef = createRef<Pinned<PeriodicAllowance>>('PeriodicAllowance');
export const AllowedMsgAllowanceRef = createRef<Pinned<AllowedMsgAllowance>>('AllowedMsgAllowance');
export const OtherFeeAllowanceRef = createRef<Pinned<OtherFeeAllowance>>('OtherFeeAllowance');
