import { create, toBinary } from '@bufbuild/protobuf';
import { PubKeySchema } from '../gen/proto/cosmos/crypto/secp256k1/keys_pb.js';
import { SignMode } from '../gen/proto/cosmos/tx/signing/v1beta1/signing_pb.js';
import { AuthInfoSchema, TxBodySchema, TxRawSchema } from '../gen/proto/cosmos/tx/v1beta1/tx_pb.js';
import { type Coin, encodeMessage, type Message } from './messages.ts';
import type { SignDocument, Signer } from './signers.ts';

/** What the sender of a transaction offers. */
export interface Fee {
  readonly amount: readonly Coin[];
  readonly gas: bigint;
}

/** A transaction to sign. */
export interface Unsigned {
  readonly messages: readonly Message[];
  readonly chainId: string;
  /** The number and the next sequence of the account that signs. */
  readonly accountNumber: bigint;
  readonly sequence: bigint;
  readonly fee: Fee;
  readonly memo?: string;
}

/** Encodes what is signed: the messages, and who pays what. */
function encode(
  publicKey: Uint8Array,
  { messages, sequence, fee, memo = '' }: Unsigned,
): Pick<SignDocument, 'bodyBytes' | 'authInfoBytes'> {
  const signer = {
    publicKey: encodeMessage(PubKeySchema, { key: publicKey }),
    modeInfo: { sum: { case: 'single' as const, value: { mode: SignMode.DIRECT } } },
    sequence,
  };
  const amount = fee.amount.map((coin) => ({ ...coin }));
  const authInfo = create(AuthInfoSchema, { signerInfos: [signer], fee: { amount, gasLimit: fee.gas } });
  const body = create(TxBodySchema, { messages: [...messages], memo });
  return { bodyBytes: toBinary(TxBodySchema, body), authInfoBytes: toBinary(AuthInfoSchema, authInfo) };
}

/** The transaction without a valid signature, to ask what it costs. `publicKey` is compressed, 33 bytes. */
export function encodeDraft(publicKey: Uint8Array, unsigned: Unsigned): Uint8Array {
  return toBinary(TxRawSchema, create(TxRawSchema, { ...encode(publicKey, unsigned), signatures: [new Uint8Array(64)] }));
}

/** Signs a transaction (SIGN_MODE_DIRECT). Returns its bytes (TxRaw), for `submitTx`. Rejects if the signer refuses. */
export async function signTransaction(signer: Signer, unsigned: Unsigned): Promise<Uint8Array> {
  const { chainId, accountNumber } = unsigned;
  const { signature, ...signed } = await signer.sign({ ...encode(signer.publicKey, unsigned), chainId, accountNumber });
  return toBinary(TxRawSchema, create(TxRawSchema, { ...signed, signatures: [signature] }));
}
