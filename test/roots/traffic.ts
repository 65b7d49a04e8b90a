import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import type { Application } from '../../packages/devnet/src/abci/abci.ts';
import { createActors } from '../../packages/devnet/src/app/actors/actors.ts';
import { createChainReader } from '../../packages/devnet/src/app/actors/chainReader.ts';
import { createGenesis } from '../../packages/devnet/src/app/genesis/genesis.ts';
import type { Genesis } from '../../packages/devnet/src/app/runtime/genesisState.ts';
import { createRandom } from '../../packages/devnet/src/app/runtime/random.ts';
import { createAccounts, signTx, type WalletAccount } from '../../packages/devnet/src/app/runtime/wallet.ts';
import type { Actor } from '../../packages/devnet/src/devnet.ts';
import { QueryAccountInfoRequestSchema, QueryAccountInfoResponseSchema } from '../../src/proto/cosmos/auth/v1beta1/query_pb.js';
import { firstMessages, openName, randomMessage } from './randomMessages.ts';

/** The devnet's genesis with a name of account 8, coins of it on hold, and a vesting schedule of account 9 of an hour. */
export function createTrafficGenesis(): Genesis {
  const genesis = createGenesis();
  const [owner, vesting] = createAccounts(10).slice(8);
  const coins = [{ denom: 'nhash', amount: 10n ** 14n }];
  return {
    ...genesis,
    names: [...(genesis.names ?? []), { name: openName, address: owner!.address, restricted: false }],
    holds: [...(genesis.holds ?? []), { address: owner!.address, coins: [{ denom: 'nhash', amount: 10n ** 12n }] }],
    vesting: [
      ...(genesis.vesting ?? []),
      { address: vesting!.address, coins, startsSecondsBefore: 10, endsSecondsAfter: 3600 },
    ],
  };
}

/** The account number and the sequence of an account of any type. */
function signerInfo(application: Application, address: string, height: bigint): { accountNumber: bigint; sequence: bigint } {
  const answer = application.query({
    path: '/cosmos.auth.v1beta1.Query/AccountInfo',
    data: toBinary(QueryAccountInfoRequestSchema, create(QueryAccountInfoRequestSchema, { address })),
    height,
    prove: false,
    latestHeight: height,
    earliestHeight: 1n,
  });
  const { info } = fromBinary(QueryAccountInfoResponseSchema, answer.value ?? new Uint8Array());
  if (info === undefined) throw new Error(`no account ${address}`);
  return info;
}

/**
 * Random transactions for the next block: those of the devnet's actors, and of accounts 8 and 9, which send messages of every
 * module. Two thirds of the blocks have none. The same seed makes the same transactions.
 */
export function createTraffic(seed: number, application: Application, chainId: string): Actor {
  const random = createRandom(seed);
  const people = createAccounts(10);
  const actors = createActors({ query: application.query, chainId, seed });
  let hasBegun = false;
  return ({ height, time }) => {
    const isFirst = !hasBegun;
    hasBegun = true;
    if (!isFirst && random.below(3) > 0) return [];
    const reader = createChainReader(application.query, height);
    const proposals = (policy: string) => reader.proposals(policy);
    const send = (owner: WalletAccount, other: WalletAccount, count: number): Uint8Array[] => {
      const { accountNumber, sequence } = signerInfo(application, owner.address, height);
      const context = { random, owner, other, people, now: time, proposals };
      const messages = isFirst ? firstMessages(context) : Array.from({ length: count }, () => randomMessage(context));
      return messages.map((message, index) =>
        signTx({ account: owner, accountNumber, sequence: sequence + BigInt(index), chainId, messages: [message] }),
      );
    };
    const [first, second] = people.slice(8) as [WalletAccount, WalletAccount];
    const sent = send(first, second, 1 + random.below(3));
    if (isFirst) return sent;
    if (random.below(3) === 0) sent.push(...send(second, first, 1));
    return random.below(3) === 0 ? [...sent, ...actors({ height, time })] : sent;
  };
}
