import { create, createRegistry, fromJson, isMessage, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import { type AnySchema, anyPack } from '@bufbuild/protobuf/wkt';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { MsgSendSchema } from '../../../src/proto/cosmos/bank/v1beta1/tx_pb.js';
import { PubKeySchema } from '../../../src/proto/cosmos/crypto/secp256k1/keys_pb.js';
import { MsgExecSchema, MsgSubmitProposalSchema, MsgVoteSchema } from '../../../src/proto/cosmos/group/v1/tx_pb.js';
import { SignMode } from '../../../src/proto/cosmos/tx/signing/v1beta1/signing_pb.js';
import { AuthInfoSchema, SignDocSchema, TxBodySchema, TxRawSchema } from '../../../src/proto/cosmos/tx/v1beta1/tx_pb.js';
import { developmentKeys } from './developmentKeys.ts';
import type { MessageJson } from './messages.ts';
import type { SignDocument, Signer } from './wallet.ts';

// This file is loaded when the visitor first sends something.

const registry = createRegistry(MsgVoteSchema, MsgExecSchema, MsgSubmitProposalSchema, MsgSendSchema);

/** A transaction with one message, to sign. */
export interface Unsigned {
  readonly message: MessageJson;
  readonly chainId: string;
  readonly accountNumber: bigint;
  readonly sequence: bigint;
  readonly fee: { readonly amount: readonly { readonly denom: string; readonly amount: string }[]; readonly gas: bigint };
}

/** Encodes a message. The chain knows types by `/name`, without the host that protobuf JSON adds to messages within messages. */
function pack({ '@type': typeUrl, ...fields }: MessageJson): MessageInitShape<typeof AnySchema> {
  const schema = registry.getMessage(typeUrl.slice(1));
  if (schema === undefined) throw new Error(`The page cannot encode ${typeUrl}.`);
  const message = fromJson(schema, JSON.parse(JSON.stringify(fields)), { registry });
  if (isMessage(message, MsgSubmitProposalSchema))
    for (const inner of message.messages) inner.typeUrl = inner.typeUrl.replace('type.googleapis.com', '');
  return { typeUrl, value: toBinary(schema, message) };
}

/** Encodes what is signed: the message, and who pays what. */
function encode(
  publicKey: Uint8Array,
  { message, sequence, fee }: Unsigned,
): Pick<SignDocument, 'bodyBytes' | 'authInfoBytes'> {
  const key = anyPack(PubKeySchema, create(PubKeySchema, { key: publicKey }));
  const signer = {
    publicKey: { ...key, typeUrl: `/${PubKeySchema.typeName}` },
    modeInfo: { sum: { case: 'single' as const, value: { mode: SignMode.DIRECT } } },
    sequence,
  };
  const authInfo = create(AuthInfoSchema, { signerInfos: [signer], fee: { amount: [...fee.amount], gasLimit: fee.gas } });
  const body = create(TxBodySchema, { messages: [pack(message)] });
  return { bodyBytes: toBinary(TxBodySchema, body), authInfoBytes: toBinary(AuthInfoSchema, authInfo) };
}

/** The transaction without a valid signature, to ask what it costs. */
export function encodeDraft(publicKey: Uint8Array, unsigned: Unsigned): Uint8Array {
  return toBinary(TxRawSchema, create(TxRawSchema, { ...encode(publicKey, unsigned), signatures: [new Uint8Array(64)] }));
}

/** Signs a transaction. Returns its bytes (TxRaw). Rejects if the signer refuses. */
export async function signTransaction(signer: Signer, unsigned: Unsigned): Promise<Uint8Array> {
  const { chainId, accountNumber } = unsigned;
  const { signature, ...signed } = await signer.sign({ ...encode(signer.publicKey, unsigned), chainId, accountNumber });
  return toBinary(TxRawSchema, create(TxRawSchema, { ...signed, signatures: [signature] }));
}

/** The signer of an account of the embedded chain. */
export function developmentSigner(id: '8' | '9', address: string): Signer {
  const key = Uint8Array.from(developmentKeys[id].match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
  return {
    address,
    publicKey: secp256k1.getPublicKey(key, true),
    async sign({ bodyBytes, authInfoBytes, chainId, accountNumber }) {
      const document = create(SignDocSchema, { bodyBytes, authInfoBytes, chainId, accountNumber });
      const signature = secp256k1.sign(toBinary(SignDocSchema, document), key, { prehash: true, lowS: true });
      return { bodyBytes, authInfoBytes, signature };
    },
  };
}
