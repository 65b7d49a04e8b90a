export { type Client, type ClientOptions, createClient, type QueryOptions, type Reader } from './client.ts';
export { type ClientCredentials, clientCredentials } from './clientCredentials.ts';
export type { SteleErrorCode } from './codes.ts';
export type { Connection, ConnectionState } from './connection.ts';
export type { HeightInput, RestOf, TypedDocument } from './documents.ts';
export { type ResultError, SteleError } from './errors.ts';
export type { SteleEvent, SubscribeOptions } from './events.ts';
export type { ErrorCode } from './gen/errorCode.ts';
export type { HistoryRange, HistoryStep, PlaceInput } from './history.ts';
export type { LiveOptions } from './live.ts';
export type { Result } from './result.ts';
export type { SubmitOptions, TransactionUpdate } from './submit.ts';
export type { TokenInput } from './tokens.ts';
export {
  type FieldLevel,
  type Level,
  type Trust,
  type TrustedBlock,
  UnprovenAnswerError,
  type Verified,
  type Verifier,
  type VerifyInput,
} from './verify.ts';
