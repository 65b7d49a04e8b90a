import type { Pinned } from '../../reads/pin.ts';
import { createRef } from '../../schema/builder.ts';
import type { Connection } from '../../schema/connection.ts';
import type { Attribute } from './model.ts';

/** Reference of the type `Attribute`. */
export const AttributeRef = createRef<Pinned<Attribute>>('Attribute');
/** Reference of the type `AttributeConnection`. */
export const AttributeConnectionRef = createRef<Connection<Pinned<Attribute>>>('AttributeConnection');
