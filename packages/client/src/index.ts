export { type Client, type ClientOptions, createClient, type QueryOptions } from './client.ts';
export type { HeightInput, RestOf, TypedDocument } from './documents.ts';
export { type ResultError, SteleError, type SteleErrorCode } from './errors.ts';
export type { SteleEvent, SubscribeOptions } from './events.ts';
export type { ErrorCode } from './gen/errorCode.ts';
export type { LiveOptions } from './live.ts';
export type { Result } from './result.ts';
export type { SubmitOptions, TransactionUpdate } from './submit.ts';
export type { TokenInput } from './tokens.ts';
