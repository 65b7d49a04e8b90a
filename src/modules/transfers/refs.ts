import type { Pinned } from '../../reads/pin.ts';
import { createRef } from '../../schema/builder.ts';
import type { HistoryConnection } from '../history/connection.ts';
import type { Transfer } from './model.ts';

/** References of the module's types, for its own files and for modules that extend the types. */
export const TransferRef = createRef<Pinned<Transfer>>('Transfer');
export const TransferConnectionRef = createRef<HistoryConnection<Pinned<Transfer>>>('TransferConnection');
