export type { AminoDocument, AminoMessage, AminoValue } from './amino.ts';
export { encodeJson, knownMessages, type MessageJson } from './json.ts';
export {
  type ConnectOptions,
  connectKeplr,
  type KeplrChain,
  type KeplrCurrency,
  type KeplrWallet,
  keplrChain,
} from './keplr.ts';
export {
  type Coin,
  encodeMessage,
  type IdInput,
  type Message,
  msgExec,
  msgLeaveGroup,
  msgMultiSend,
  msgSend,
  msgSubmitProposal,
  msgVote,
  msgWithdrawProposal,
  type VoteChoice,
} from './messages.ts';
export { costDocument, prepareTransaction, type SendOptions, sendMessages, signerDocument } from './send.ts';
export { createKeySigner, type SignDocument, type SignedDocument, type Signer } from './signers.ts';
export { encodeDraft, type Fee, signTransaction, type Unsigned } from './transaction.ts';
