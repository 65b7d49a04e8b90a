import type { Pinned } from '../../reads/pin.ts';
import { createRef } from '../../schema/builder.ts';
import type { Connection } from '../../schema/connection.ts';
import type { Attribute } from './model.ts';

/** A statement about an account or scope. */
export const AttributeRef = createRef<Pinned<Attribute>>('Attribute');
/** A page of them. */
export const AttributeConnectionRef = createRef<Connection<Pinned<Attribute>>>('AttributeConnection');
