import type { Any } from '@bufbuild/protobuf/wkt';
import { MsgExecuteContract, MsgExecuteContractResponse } from 'cosmjs-types/cosmwasm/wasm/v1/tx';
import { encodeAddress } from '../../packages/devnet/src/app/runtime/address.ts';
import { plainEvent } from '../../packages/devnet/src/app/runtime/events.ts';
import type { Keeper } from '../../packages/devnet/src/app/runtime/keeper.ts';
import type { WalletAccount } from '../../packages/devnet/src/app/runtime/wallet.ts';
import type { VoteOption } from '../../src/proto/cosmos/group/v1/types_pb.js';
import { vote } from './groups.ts';

const typeUrl = '/cosmwasm.wasm.v1.MsgExecuteContract';

/** A contract, which can be a member of a group. Its address has 32 bytes, as those of contracts have. */
export function createContract(number: number): Pick<WalletAccount, 'address'> {
  return { address: encodeAddress(new Uint8Array(32).fill(number)) };
}

interface Ballot {
  readonly id: string;
  readonly option: keyof typeof VoteOption;
  readonly exec: boolean;
}

/**
 * Contracts of which each casts the vote that a message tells it to cast. The events `execute` and `wasm` are recorded, and so is that the events of what
 * a contract sends follow them. That the events of a vote are among these is a guess from the source of wasmd: the recording shows a bank message.
 */
export const votingContracts: Keeper = {
  messages: [
    {
      typeUrl,
      decode(bytes) {
        const { sender, contract, msg } = MsgExecuteContract.decode(bytes);
        const { id, option, exec } = JSON.parse(Buffer.from(msg).toString()) as Ballot;
        return {
          ...{ typeUrl, signers: [sender], size: 1 },
          run(context) {
            context.emit(plainEvent('execute', [['_contract_address', contract]]));
            const action = ['action', 'vote'] as const;
            context.emit(plainEvent('wasm', [['_contract_address', contract], action]));
            context.run(vote({ address: contract }, BigInt(id), option, exec));
            const value = MsgExecuteContractResponse.encode(MsgExecuteContractResponse.fromPartial({})).finish();
            return { $typeName: 'google.protobuf.Any', typeUrl: `${typeUrl}Response`, value: new Uint8Array(value) };
          },
        };
      },
    },
  ],
  queries: [],
};

/** A message of `sender` that lets a contract vote. With `exec`, the vote tries to execute the proposal. */
export function voteByContract(
  sender: Pick<WalletAccount, 'address'>,
  contract: Pick<WalletAccount, 'address'>,
  proposalId: bigint,
  option: keyof typeof VoteOption = 'YES',
  exec = false,
): Any {
  const ballot: Ballot = { id: `${proposalId}`, option, exec };
  const msg = Buffer.from(JSON.stringify(ballot));
  const message = MsgExecuteContract.fromPartial({ sender: sender.address, contract: contract.address, msg });
  return { $typeName: 'google.protobuf.Any', typeUrl, value: new Uint8Array(MsgExecuteContract.encode(message).finish()) };
}
