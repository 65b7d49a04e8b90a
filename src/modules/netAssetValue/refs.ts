import type { Pinned } from '../../reads/pin.ts';
import { createRef } from '../../schema/builder.ts';
import type { HistoryConnection } from '../history/connection.ts';
import type { NetAssetValue } from './model.ts';

/** Reference of the type `NetAssetValue`. */
export const NetAssetValueRef = createRef<Pinned<NetAssetValue>>('NetAssetValue');
/** Reference of the type `NetAssetValueConnection`, a page of a history. */
export const NetAssetValueConnectionRef = createRef<HistoryConnection<Pinned<NetAssetValue>>>('NetAssetValueConnection');
