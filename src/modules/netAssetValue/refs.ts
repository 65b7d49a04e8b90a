import type { Pinned } from '../../reads/pin.ts';
import { createRef } from '../../schema/builder.ts';
import type { HistoryConnection } from '../history/connection.ts';
import type { NetAssetValue } from './model.ts';

/** What a volume of a denom, or a scope, is worth. */
export const NetAssetValueRef = createRef<Pinned<NetAssetValue>>('NetAssetValue');
/** A page of such values as they were set. */
export const NetAssetValueConnectionRef = createRef<HistoryConnection<Pinned<NetAssetValue>>>('NetAssetValueConnection');
