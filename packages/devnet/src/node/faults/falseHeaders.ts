import type { Application, Lie } from '../../abci/abci.ts';
import { hex } from '../ledger/encode.ts';
import { encodeBlock, hashCommit, hashHeader, hashParts, hashValidators } from '../ledger/hashes.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Commit, CommittedBlock } from '../ledger/types.ts';
import { createCommit, createSigner } from '../ledger/validator.ts';

/** Who signed the headers of a liar: the true signatures of other headers, the liar for all validators, or validators of the liar's own. */
export const headerForgeries = ['copied', 'resigned', 'usurped'] as const;

/** A lie of a node: of its application, and whether its headers have the application hash of the lie. */
export interface NodeLie extends Lie {
  readonly headers?: (typeof headerForgeries)[number];
}

/** The headers of a lying node. */
export interface FalseHeaders {
  /** The chain as the node returns it. */
  readonly ledger: Ledger;
  /** Returns the block at a height with the header of the current lie. The node returns this block from now on. */
  show(block: CommittedBlock): CommittedBlock;
}

/** Creates the false headers over the true chain. Each refers to the previous one, and their transactions and results are true. They disappear with the lie. */
export function createFalseHeaders(
  ledger: Ledger,
  application: Application,
  currentLie: () => NodeLie | undefined,
): FalseHeaders {
  const liar = createSigner(`liar of ${ledger.chainId}`);
  const blocks = new Map<bigint, CommittedBlock & { readonly isUsurped: boolean }>();
  const blockAt = (height: bigint): CommittedBlock | undefined => {
    if (currentLie()?.headers === undefined) blocks.clear();
    return blocks.get(height) ?? ledger.block(height);
  };

  function signed(block: CommittedBlock, headers: NonNullable<NodeLie['headers']>, blockId: CommittedBlock['blockId']): Commit {
    const { chainId } = ledger;
    const { height, signatures } = block.seenCommit;
    const timestamp = signatures.find(({ flag }) => flag === 2)?.timestamp ?? block.block.header.time;
    if (headers === 'usurped') return createCommit([{ signer: liar, vote: 'BLOCK' }], { chainId, height, blockId, timestamp });
    const commit = { ...block.seenCommit, blockId };
    if (headers === 'copied') return commit;
    const signature = liar.vote(2, { chainId, height, blockId, timestamp });
    return { ...commit, signatures: signatures.map((each) => (each.flag === 1 ? each : { ...each, timestamp, signature })) };
  }

  return {
    ledger: {
      ...ledger,
      get height() {
        return ledger.height;
      },
      get base() {
        return ledger.base;
      },
      block: blockAt,
      blockByHash(hash) {
        const falseBlock = [...blocks.values()].find(({ blockId }) => hex(blockId.hash) === hex(hash));
        return falseBlock ?? ledger.blockByHash(hash);
      },
      validatorsAt: (height) => {
        const usurped = blocks.get(height)?.isUsurped ?? (blockAt(height) === undefined && blocks.get(height - 1n)?.isUsurped);
        return usurped ? [liar.validator] : ledger.validatorsAt(height);
      },
    },
    show(block) {
      const lie = currentLie();
      const { header, txs } = block.block;
      const previous = blockAt(header.height - 1n);
      const appHash = lie && application.falseAppHash?.(header.height - 1n, lie);
      if (lie?.headers === undefined || previous === undefined || appHash === undefined) return block;
      const isUsurped = lie.headers === 'usurped';
      const ownHash = hashValidators([liar.validator]);
      const lastCommit = blocks.has(previous.block.header.height) ? previous.seenCommit : block.block.lastCommit;
      const falseHeader = {
        ...header,
        appHash,
        lastBlockId: previous.blockId,
        lastCommitHash: hashCommit(lastCommit),
        ...(isUsurped && {
          validatorsHash: ownHash,
          nextValidatorsHash: ownHash,
          proposerAddress: liar.validator.address,
        }),
      };
      const content = { header: falseHeader, txs, lastCommit };
      const encoded = encodeBlock(content);
      const blockId = { hash: hashHeader(falseHeader), parts: hashParts(encoded) };
      const falseBlock = {
        ...block,
        block: content,
        blockId,
        size: encoded.length,
        result: { ...block.result, appHash: application.falseAppHash?.(header.height, lie) ?? block.result.appHash },
        seenCommit: signed(block, lie.headers, blockId),
        isUsurped,
      };
      blocks.set(header.height, falseBlock);
      return falseBlock;
    },
  };
}
