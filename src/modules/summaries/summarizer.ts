import type { Awaitable } from '../../reads/loader.ts';
import type { Coin } from '../bank/query.ts';
import type { MessageReader } from './message.ts';

/** Summarizes the parts of a message that need reads of the chain or the summaries of other messages. */
export interface SummaryContext {
  /**
   * Returns coins in display units where the chain has metadata: "5 HASH and 3 goldcoin". Returns "nothing" for an empty list.
   */
  coins(coins: readonly Coin[]): Awaitable<string>;
  /**
   * Summarizes nested messages as a clause of the outer sentence: ", with 2 messages: …; …". Returns an empty string for none.
   */
  messages(messages: readonly MessageReader[]): Awaitable<string>;
}

/**
 * Summarizes a message in one English sentence without a final period. Throws `NoSummaryError` if a needed field is missing.
 */
export type Summarizer = (message: MessageReader, context: SummaryContext) => Awaitable<string>;

/** Summarizers of one protobuf package, by message name, such as `MsgSend`. */
export type Summarizers = Readonly<Record<string, Summarizer>>;
