import { scopeAddresses, scopeOwner } from '../../packages/devnet/src/app/world/scopes.ts';
import { tokenAdmins, tokens } from '../../packages/devnet/src/app/world/tokens.ts';
import { MsgMultiSendSchema, MsgSendSchema } from '../../src/proto/cosmos/bank/v1beta1/tx_pb.js';
import { MsgAddNetAssetValuesRequestSchema, MsgTransferRequestSchema } from '../../src/proto/provenance/marker/v1/tx_pb.js';
import { MsgAddNetAssetValuesRequestSchema as MsgAddScopeValuesSchema } from '../../src/proto/provenance/metadata/v1/tx_pb.js';
import { any, type TestChain } from './chain.ts';

/**
 * Transfers coins in every way and sets prices, each in its own block, on a chain with the devnet's full genesis. Returns the
 * height of a final empty block.
 */
export async function makeTransfersAndPrices(chain: TestChain): Promise<bigint> {
  const at = (index: number) => chain.accounts[index]!;
  const coins = (denom: string, amount: string) => [{ denom, amount }];
  await chain.run(
    at(0),
    any(MsgSendSchema, { fromAddress: at(0).address, toAddress: at(1).address, amount: coins('nhash', '1500000000') }),
  );
  await chain.run(
    at(1),
    any(MsgMultiSendSchema, {
      inputs: [{ address: at(1).address, coins: coins(tokens.dollar, '3000000') }],
      outputs: [at(2), at(3)].map(({ address }) => ({ address, coins: coins(tokens.dollar, '1500000') })),
    }),
  );
  await chain.run(
    at(tokenAdmins.share),
    any(MsgTransferRequestSchema, {
      amount: { denom: tokens.share, amount: '25' },
      administrator: at(tokenAdmins.share).address,
      fromAddress: at(0).address,
      toAddress: at(2).address,
    }),
  );
  await chain.run(
    at(tokenAdmins.gold),
    any(MsgAddNetAssetValuesRequestSchema, {
      denom: tokens.gold,
      administrator: at(tokenAdmins.gold).address,
      netAssetValues: [
        { price: { denom: 'usd', amount: '98000' }, volume: 1n },
        { price: { denom: tokens.dollar, amount: '98000000' }, volume: 1n },
      ],
    }),
  );
  await chain.run(
    at(scopeOwner),
    any(MsgAddScopeValuesSchema, {
      scopeId: scopeAddresses[0]!,
      signers: [at(scopeOwner).address],
      netAssetValues: [{ price: { denom: 'usd', amount: '251000000' }, volume: 1n }],
    }),
  );
  return chain.devnet.commit();
}
