import type { BlockResults, Commit } from '../../chain/blocks/committedBlock.ts';
import type { BlockId, Header } from '../../chain/wire/block.ts';
import type { Pinned } from '../../reads/pin.ts';
import { createRef } from '../../schema/builder.ts';
import type { Connection } from '../../schema/connection.ts';
import type { BlockSummary } from './blocks.ts';
import type { SignedHeader } from './commit.ts';

/** The types that the files of this module share and other modules extend. */
export const BlockRef = createRef<Pinned<BlockSummary>>('Block');
export const BlockConnectionRef = createRef<Connection<Pinned<BlockSummary>>>('BlockConnection');
export const BlockIdRef = createRef<BlockId>('BlockId');
export const HeaderRef = createRef<Header>('Header');
export const BlockResultsRef = createRef<BlockResults>('BlockResults');
export const CommitRef = createRef<Pinned<Commit>>('Commit');
export const SignedHeaderRef = createRef<Pinned<SignedHeader>>('SignedHeader');
