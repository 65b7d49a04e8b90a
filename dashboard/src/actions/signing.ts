import { create, createRegistry, fromJson, toBinary } from '@bufbuild/protobuf';
import { anyPack } from '@bufbuild/protobuf/wkt';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { MsgSendSchema } from '../../../src/proto/cosmos/bank/v1beta1/tx_pb.js';
import { PubKeySchema } from '../../../src/proto/cosmos/crypto/secp256k1/keys_pb.js';
import { MsgExecSchema, MsgSubmitProposalSchema, MsgVoteSchema } from '../../../src/proto/cosmos/group/v1/tx_pb.js';
import { SignMode } from '../../../src/proto/cosmos/tx/signing/v1beta1/signing_pb.js';
import { AuthInfoSchema, SignDocSchema, TxBodySchema, TxRawSchema } from '../../../src/proto/cosmos/tx/v1beta1/tx_pb.js';
import { developmentKeys } from './developmentKeys.ts';
import type { MessageJson } from './messages.ts';
import type { Signer } from './wallet.ts';

// This file is loaded when the visitor first sends something.

const registry = createRegistry(MsgVoteSchema, MsgExecSchema, MsgSubmitProposalSchema, MsgSendSchema);

/** A transaction to sign. */
export interface Unsigned {
  readonly message: MessageJson;
  readonly chainId: string;
  readonly accountNumber: bigint;
  readonly sequence: bigint;
  readonly fee: { readonly amount: readonly { readonly denom: string; readonly amount: string }[]; readonly gas: bigint };
}

/** Signs a transaction with one message. Returns its bytes (TxRaw). Rejects if the signer refuses. */
export async function signTransaction(
  signer: Signer,
  { message, chainId, accountNumber, sequence, fee }: Unsigned,
): Promise<Uint8Array> {
  const schema = registry.getMessage(message['@type'].slice(1));
  if (schema === undefined) throw new Error(`The page cannot encode ${message['@type']}.`);
  const { '@type': typeUrl, ...fields } = message;
  const packed = { typeUrl, value: toBinary(schema, fromJson(schema, JSON.parse(JSON.stringify(fields)), { registry })) };
  const bodyBytes = toBinary(TxBodySchema, create(TxBodySchema, { messages: [packed] }));
  const key = anyPack(PubKeySchema, create(PubKeySchema, { key: signer.publicKey }));
  const authInfoBytes = toBinary(
    AuthInfoSchema,
    create(AuthInfoSchema, {
      signerInfos: [
        {
          publicKey: { ...key, typeUrl: `/${PubKeySchema.typeName}` },
          modeInfo: { sum: { case: 'single', value: { mode: SignMode.DIRECT } } },
          sequence,
        },
      ],
      fee: { amount: [...fee.amount], gasLimit: fee.gas },
    }),
  );
  const signed = await signer.sign({ bodyBytes, authInfoBytes, chainId, accountNumber });
  return toBinary(
    TxRawSchema,
    create(TxRawSchema, { bodyBytes: signed.bodyBytes, authInfoBytes: signed.authInfoBytes, signatures: [signed.signature] }),
  );
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
