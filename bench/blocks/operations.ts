import { createFixtures } from '../../packages/devnet/src/app/fixtures/fixtures.ts';
import { encodeAddress, moduleAddress } from '../../packages/devnet/src/app/runtime/address.ts';
import { createAccounts } from '../../packages/devnet/src/app/runtime/wallet.ts';

const query = `query Card($account: String!, $policy: String!) {
  account(address: $account) {
    address kind accountData
    balances(first: 20) { totalCount nodes { denom amount } }
    attributes(first: 20) { nodes { name value } }
    names(first: 10) { nodes { name } }
  }
  groupPolicy(address: $policy) {
    address metadata version
    group { id metadata totalWeight members(first: 12) { nodes { weight addedAt account { address } } } }
  }
}`;

/** The bodies of distinct requests: the card of one account, and the group policy that it belongs to. */
export function cardRequests(count: number): readonly string[] {
  const { board, charter } = createFixtures(createAccounts()).policies;
  return Array.from({ length: count }, (_, index) => {
    const account = encodeAddress(moduleAddress(`crowd/${index}`));
    const { address: policy } = index % 2 === 0 ? board : charter;
    return JSON.stringify({ query, variables: { account, policy } });
  });
}
