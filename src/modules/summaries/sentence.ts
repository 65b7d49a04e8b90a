import type { Coin } from '../bank/model.ts';
import type { Message } from './message.ts';

/** What sentences need of the chain and of one another. */
export interface Teller {
  /** Coins in display units where the chain has metadata for them: "5 hash and 3 goldcoin"; "nothing" for none. */
  coins(coins: readonly Coin[]): Promise<string>;
  /** Messages within another, as one part of its sentence: ", with 2 messages: …; …"; empty for none. */
  messages(messages: readonly Message[]): Promise<string>;
}

/** Tells what a message does in one English sentence, without the point at its end. */
export type Sentence = (message: Message, teller: Teller) => string | Promise<string>;

/** Sentences by the message's name within a package, such as `MsgSend`. */
export type Sentences = Readonly<Record<string, Sentence>>;
