export {
  type Answer,
  type Explanation,
  explain,
  explained,
  type FieldLevel,
  levelsOf,
  type Question,
} from './explain.ts';
export type { AnswerContext, Basis } from './rules.ts';
export {
  type Checkpoint,
  type ProvenState,
  type Trust,
  type TrustKind,
  type Verified,
  type VerifyOptions,
  verify,
  verifyBundle,
} from './verify.ts';
