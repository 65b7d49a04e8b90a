import { createAccounts } from '../../packages/devnet/src/app/runtime/wallet.ts';
import { scopeAddresses } from '../../packages/devnet/src/app/world/scopes.ts';
import { tokens } from '../../packages/devnet/src/app/world/tokens.ts';
import { vestingAccount } from '../../packages/devnet/src/app/world/vesting.ts';
import { openName, policies, scopes } from './randomMessages.ts';

const people = createAccounts(10).map(({ address }) => address);
const [first, owner, vesting] = [people[0]!, people[8]!, people[9]!];

/** Paths of the aggregates, of REST, and of `abci_query` over the node RPC that are compared at a height. */
export const restPaths: readonly string[] = [
  ...[first, owner, vesting, vestingAccount].map((address) => `/v1/accounts/${address}`),
  ...[owner, vesting].map((address) => `/v1/balances/${address}`),
  `/v1/metadata/${tokens.gold}`,
  ...[scopeAddresses[0]!, scopes[0]!].map((scope) => `/v1/scopes/${scope}`),
  `/v1/netAssetValues/${tokens.gold}`,
  `/v1/holders/${tokens.share}`,
  ...['', '/rest'].flatMap((base) => [
    `${base}/cosmos/group/v1/groups`,
    `${base}/cosmos/group/v1/proposals_by_group_policy/${policies[0]}?pagination.limit=3`,
    `${base}/provenance/attribute/v1/attribute/${owner}/scan/${openName}`,
    `${base}/provenance/attribute/v1/attributes/${owner}`,
    `${base}/cosmos/bank/v1beta1/balances/${owner}`,
    `${base}/cosmos/bank/v1beta1/supply/by_denom?denom=${tokens.dollar}`,
    `${base}/cosmos/auth/v1beta1/accounts/${vesting}`,
  ]),
  ...['', '/comet'].map((base) => `${base}/abci_query?path="/cosmos.group.v1.Query/GroupInfo"&data=0x0801`),
  '/comet/abci_query?path="/cosmos.bank.v1beta1.Query/TotalSupply"&data=0x',
];
