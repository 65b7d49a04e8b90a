export { type Bundle, type BundleJson, decodeBundle, type Level, validatorsHashOf } from './bundle.ts';
export { afterPrefix, compareBytes, concat, equalBytes, fromBase64, fromHex, hasPrefix, toHex } from './bytes.ts';

export {
  type Commit,
  type CommitOptions,
  type CommitVote,
  createVoteBytes,
  decodeCommit,
  type SignedPower,
  verifyCommit,
  verifyCommitTrusting,
} from './commit.ts';
export { ProofError, type ProofErrorCode } from './errors.ts';
export { type BlockId, decodeHeader, type Header, hashHeader } from './header.ts';
export { emptyRoot } from './iavl.ts';
export {
  decodeLightBlock,
  isExpired,
  type LightBlock,
  type TrustOptions,
  verifyBefore,
  verifyBetween,
  verifySigned,
  verifyStep,
} from './lightClient.ts';
export { createPartialTree, decodePartialTree, type PartialTree, type TreeRead, type TreeRows } from './partialTree.ts';
export type { RangeBounds, Row } from './rows.ts';
export { checkSignature, createSignatureCheck, type PublicKey, type SignatureCheck } from './signatures.ts';
export { type NamedProof, type ProvenKey, readStoreRoot, verifyKey, verifyNoStore } from './store.ts';
export { decodeValidators, type Validator, type ValidatorSet } from './validators.ts';
