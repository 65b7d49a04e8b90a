import { merkleRoot, sha256 } from '../../../../../src/chain/wire/merkle.ts';
import type { Application } from '../../abci/abci.ts';
import { hex, noBlockId } from './encode.ts';
import { encodeBlock, hashCommit, hashConsensusParams, hashHeader, hashParts, hashResults, hashValidators } from './hashes.ts';
import type { Block, BlockId, Commit, CommittedBlock, CommittedTx, ConsensusParams, Validator } from './types.ts';
import { type CosignerOptions, createCommit, createSigner, type Signer, sortVoters, type Voter } from './validator.ts';

/** The chain of the devnet's nodes: all blocks, and the consensus that creates the next one. */
export interface Ledger {
  readonly chainId: string;
  readonly genesisTime: bigint;
  readonly params: ConsensusParams;
  /** The validators that sign the block at a height, by descending power. */
  validatorsAt(height: bigint): readonly Validator[];
  /** The validator that is one at every height, and proposes every block. */
  readonly signer: Signer;
  /** 0 before the first block. */
  readonly height: bigint;
  /** The oldest height with a kept block. */
  readonly base: bigint;
  block(height: bigint): CommittedBlock | undefined;
  blockByHash(hash: Uint8Array): CommittedBlock | undefined;
  tx(hash: Uint8Array): CommittedTx | undefined;
  /** The transactions of a block. */
  txsOf(block: CommittedBlock): CommittedTx[];
  /**
   * Creates the next block. Its time is that of the previous commit, as in CometBFT, and `time` is the time of its own commit.
   * With `ownTime`, the block has that time: the previous block gets another commit with this time.
   */
  produce(input: { txs: readonly Uint8Array[]; time: bigint; ownTime?: bigint }): CommittedBlock;
  /** Deletes the blocks below `height`. */
  prune(height: bigint): void;
}

/** The Merkle root of an empty list: SHA-256 of no bytes. */
const emptyRoot = merkleRoot([]);
const blockProtocol = 11n;

/** Creates a ledger at height 0, and the application's genesis state. */
export function createLedger(options: {
  readonly chainId: string;
  readonly genesisTime: bigint;
  readonly application: Application;
  readonly signer: Signer;
  /** The other validators at a height. Their power comes from here, not from the stake of the application. Default: none. */
  readonly cosigners?: ((height: bigint) => readonly CosignerOptions[]) | undefined;
  readonly params: ConsensusParams;
}): Ledger {
  const { chainId, genesisTime, application, signer, cosigners = () => [], params } = options;
  /** The cosigners so far. The key of one takes half a millisecond. */
  const signers = new Map<string, Signer>();
  function signerOf({ seed, power }: CosignerOptions): Signer {
    const name = `${power} ${seed}`;
    const knownSigner = signers.get(name) ?? createSigner(seed, power);
    signers.set(name, knownSigner);
    return knownSigner;
  }
  const votersAt = (at: bigint): readonly Voter[] =>
    sortVoters([
      { signer, vote: 'BLOCK' },
      ...cosigners(at).map((cosigner): Voter => ({ signer: signerOf(cosigner), vote: cosigner.vote ?? 'BLOCK' })),
    ]);
  const validatorsAt = (at: bigint): readonly Validator[] => votersAt(at).map((voter) => voter.signer.validator);
  const consensusHash = hashConsensusParams(params);
  const blocks = new Map<bigint, CommittedBlock>();
  const heightsByHash = new Map<string, bigint>();
  const txPositions = new Map<string, { height: bigint; index: number }>();
  let appHash = application.initChain({ chainId, time: genesisTime, validators: [signer.validator] }).appHash;
  let height = 0n;
  let base = 1n;

  const noCommit: Commit = { height: 0n, round: 0, blockId: noBlockId, signatures: [] };

  function txAt(block: CommittedBlock, index: number): CommittedTx | undefined {
    const [tx, hash, result] = [block.block.txs[index], block.txHashes[index], block.result.txResults[index]];
    if (tx === undefined || hash === undefined || result === undefined) return undefined;
    return { height: block.block.header.height, index, tx, hash, result };
  }

  /** Indexes a transaction. A failed execution does not replace an earlier success of the same bytes. */
  function indexTx(hash: string, place: { height: bigint; index: number }, code: number): void {
    if (code !== 0) {
      const earlier = txPositions.get(hash);
      const block = earlier && blocks.get(earlier.height);
      if (earlier && block && block.result.txResults[earlier.index]?.code === 0) return;
    }
    txPositions.set(hash, place);
  }

  return {
    chainId,
    genesisTime,
    params,
    validatorsAt,
    signer,
    get height() {
      return height;
    },
    get base() {
      return base;
    },
    block: (at) => blocks.get(at),
    blockByHash(hash) {
      const at = heightsByHash.get(hex(hash));
      return at === undefined ? undefined : blocks.get(at);
    },
    tx(hash) {
      const place = txPositions.get(hex(hash));
      const block = place && blocks.get(place.height);
      return block && txAt(block, place.index);
    },
    txsOf: (block) => block.block.txs.flatMap((_, index) => txAt(block, index) ?? []),

    produce({ txs, time, ownTime }) {
      const last = blocks.get(height);
      const lastId: BlockId = last?.blockId ?? noBlockId;
      let lastCommit = last?.seenCommit ?? noCommit;
      if (last && ownTime !== undefined) {
        const after = last.block.header.time + 1n;
        const timestamp = ownTime > after ? ownTime : after;
        lastCommit = createCommit(votersAt(height), { chainId, height, blockId: lastId, timestamp });
      }
      const txHashes = txs.map((tx) => sha256(tx));
      // The median of equal times is that of any vote.
      const blockTime = lastCommit.signatures.find(({ flag }) => flag !== 1)?.timestamp ?? genesisTime;
      const header = {
        version: { block: blockProtocol, app: application.info().appVersion },
        chainId,
        height: height + 1n,
        time: blockTime,
        lastBlockId: lastId,
        lastCommitHash: hashCommit(lastCommit),
        dataHash: merkleRoot(txHashes),
        validatorsHash: hashValidators(validatorsAt(height + 1n)),
        nextValidatorsHash: hashValidators(validatorsAt(height + 2n)),
        consensusHash,
        appHash,
        lastResultsHash: last ? hashResults(last.result.txResults) : emptyRoot,
        evidenceHash: emptyRoot,
        proposerAddress: signer.validator.address,
      };
      const block: Block = { header, txs, lastCommit };
      const encoded = encodeBlock(block);
      const blockId: BlockId = { hash: hashHeader(header), parts: hashParts(encoded) };
      const result = application.finalizeBlock({
        height: header.height,
        time: blockTime,
        txs,
        proposer: signer.validator.address,
      });
      // A vote is at least a millisecond after its block, so that block times increase.
      const earliest = blockTime + 1_000_000n;
      const seenCommit = createCommit(votersAt(header.height), {
        chainId,
        height: header.height,
        blockId,
        timestamp: time > earliest ? time : earliest,
      });
      const committed: CommittedBlock = { block, blockId, size: encoded.length, result, txHashes, seenCommit };
      height = header.height;
      appHash = result.appHash;
      blocks.set(height, committed);
      heightsByHash.set(hex(blockId.hash), height);
      txHashes.forEach((hash, index) => {
        indexTx(hex(hash), { height, index }, result.txResults[index]?.code ?? 0);
      });
      return committed;
    },

    prune(below) {
      for (; base < below && base < height; base++) {
        const block = blocks.get(base);
        if (block === undefined) continue;
        blocks.delete(base);
        heightsByHash.delete(hex(block.blockId.hash));
        for (const hash of block.txHashes) {
          const key = hex(hash);
          if (txPositions.get(key)?.height === base) txPositions.delete(key);
        }
      }
    },
  };
}

/** The parameters of the recorded chain. */
export const defaultParams: ConsensusParams = {
  maxBytes: 22_020_096n,
  maxGas: 60_000_000n,
  evidence: { maxAgeBlocks: 100_000n, maxAgeDuration: 172_800_000_000_000n, maxBytes: 1_048_576n },
};
