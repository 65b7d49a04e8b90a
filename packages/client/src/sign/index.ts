export {
  type Coin,
  encodeJson,
  encodeMessage,
  type IdInput,
  knownMessages,
  type Message,
  type MessageJson,
  msgExec,
  msgLeaveGroup,
  msgSend,
  msgSubmitProposal,
  msgVote,
  msgWithdrawProposal,
  type VoteChoice,
} from './messages.ts';
export { costDocument, prepareTransaction, type SendOptions, sendMessages, signerDocument } from './send.ts';
export {
  connectKeplr,
  createKeySigner,
  type KeplrWallet,
  type SignDocument,
  type SignedDocument,
  type Signer,
} from './signers.ts';
export { encodeDraft, type Fee, signTransaction, type Unsigned } from './transaction.ts';
