import { createRef } from '../../graphql/builder.ts';
import type { Connection } from '../../graphql/connection.ts';
import type { Pinned } from '../pin.ts';
import type { Attribute } from './model.ts';

/** A statement about an account or scope. */
export const AttributeRef = createRef<Pinned<Attribute>>('Attribute');
/** A page of them. */
export const AttributeConnectionRef = createRef<Connection<Pinned<Attribute>>>('AttributeConnection');
