import type { BlockId, Header } from '../../chain/wire/block.ts';
import { type Builder, createRef } from '../../schema/builder.ts';
import * as refs from './refs.ts';

const PartSetHeaderRef = createRef<BlockId['parts']>('PartSetHeader');
const ConsensusVersionRef = createRef<Header['version']>('ConsensusVersion');

/** Adds `Header` and `BlockId`. */
export function addHeader(builder: Builder): void {
  builder.objectType(refs.HeaderRef, {
    description: 'A block header. Hashes of height H that depend on execution (appHash, lastResultsHash) are of block H - 1.',
    fields: (t) => ({
      version: t.expose('version', { type: ConsensusVersionRef, nullable: false }),
      chainId: t.exposeString('chainId', { nullable: false }),
      height: t.expose('height', { type: 'Int64', nullable: false }),
      time: t.expose('time', { type: 'DateTime', nullable: false }),
      lastBlockId: t.expose('lastBlockId', {
        type: refs.BlockIdRef,
        nullable: false,
        description: 'Empty hashes in the first block.',
      }),
      lastCommitHash: t.expose('lastCommitHash', { type: 'Hex', nullable: false }),
      dataHash: t.expose('dataHash', { type: 'Hex', nullable: false }),
      validatorsHash: t.expose('validatorsHash', { type: 'Hex', nullable: false }),
      nextValidatorsHash: t.expose('nextValidatorsHash', { type: 'Hex', nullable: false }),
      consensusHash: t.expose('consensusHash', { type: 'Hex', nullable: false }),
      appHash: t.expose('appHash', { type: 'Hex', nullable: false }),
      lastResultsHash: t.expose('lastResultsHash', { type: 'Hex', nullable: false }),
      evidenceHash: t.expose('evidenceHash', { type: 'Hex', nullable: false }),
      proposerAddress: t.expose('proposerAddress', { type: 'Hex', nullable: false }),
    }),
  });
  builder.objectType(refs.BlockIdRef, {
    description: 'Identity of a block: its hash and that of its parts.',
    fields: (t) => ({
      hash: t.expose('hash', { type: 'Hex', nullable: false }),
      parts: t.expose('parts', { type: PartSetHeaderRef, nullable: false }),
    }),
  });
  builder.objectType(PartSetHeaderRef, {
    description: 'The parts that a block was sent in.',
    fields: (t) => ({
      total: t.exposeInt('total', { nullable: false }),
      hash: t.expose('hash', { type: 'Hex', nullable: false }),
    }),
  });
  builder.objectType(ConsensusVersionRef, {
    description: 'Protocol versions of a block.',
    fields: (t) => ({
      block: t.expose('block', { type: 'UInt64', nullable: false }),
      app: t.expose('app', { type: 'UInt64', nullable: false }),
    }),
  });
}
