/* eslint-disable */
import * as types from './graphql';



/**
 * Map of all GraphQL operations in the project.
 *
 * This map has several performance disadvantages:
 * 1. It is not tree-shakeable, so it will include all operations in the project.
 * 2. It is not minifiable, so the string of a GraphQL query will be multiple times inside the bundle.
 * 3. It does not support dead code elimination, so it will add unused operations.
 *
 * Therefore it is highly recommended to use the babel or swc plugin for production.
 * Learn more about it here: https://the-guild.dev/graphql/codegen/plugins/presets/preset-client#reducing-bundle-size
 */
type Documents = {
    "query Submitted($hash: Hex!) {\n  transaction(hash: $hash) {\n    events(type: \"cosmos.group.v1.EventSubmitProposal\") {\n      json\n    }\n  }\n}\n\nquery FollowedProposal($id: ID!) @live {\n  proposal(id: $id) {\n    status\n    executorResult\n    outcome {\n      decision\n      yesNeeded\n    }\n  }\n  proposalRecord(id: $id) {\n    status\n    executorResult\n  }\n}\n\nquery WalletAccount($address: String!) {\n  account(address: $address) {\n    names(first: 1) {\n      nodes {\n        name\n      }\n    }\n    balances(first: 3) {\n      nodes {\n        denom\n        amount\n        display {\n          amount\n          denom\n          symbol\n        }\n      }\n    }\n  }\n}\n\nquery Recipient($address: String!) {\n  account(address: $address) {\n    kind\n    moduleName\n    contract {\n      label\n    }\n    marker {\n      denom\n    }\n    groupPolicy {\n      metadata\n      group {\n        metadata\n      }\n    }\n    validator {\n      moniker\n    }\n    names(first: 1) {\n      nodes {\n        name\n      }\n    }\n  }\n}\n\nquery WalletChain {\n  feeToken\n  validators(first: 1) {\n    nodes {\n      operatorAddress\n      tokens {\n        denom\n      }\n    }\n  }\n}\n\nquery WalletCoin($denom: String!) {\n  denomMetadata(denom: $denom) {\n    symbol\n    display\n    denomUnits {\n      denom\n      exponent\n    }\n  }\n}\n\nquery DescribedMessages($messages: [JSON!]!) {\n  describeMessages(messages: $messages) {\n    inWords\n  }\n}": typeof types.SubmittedDocument,
};
const documents: Documents = {
    "query Submitted($hash: Hex!) {\n  transaction(hash: $hash) {\n    events(type: \"cosmos.group.v1.EventSubmitProposal\") {\n      json\n    }\n  }\n}\n\nquery FollowedProposal($id: ID!) @live {\n  proposal(id: $id) {\n    status\n    executorResult\n    outcome {\n      decision\n      yesNeeded\n    }\n  }\n  proposalRecord(id: $id) {\n    status\n    executorResult\n  }\n}\n\nquery WalletAccount($address: String!) {\n  account(address: $address) {\n    names(first: 1) {\n      nodes {\n        name\n      }\n    }\n    balances(first: 3) {\n      nodes {\n        denom\n        amount\n        display {\n          amount\n          denom\n          symbol\n        }\n      }\n    }\n  }\n}\n\nquery Recipient($address: String!) {\n  account(address: $address) {\n    kind\n    moduleName\n    contract {\n      label\n    }\n    marker {\n      denom\n    }\n    groupPolicy {\n      metadata\n      group {\n        metadata\n      }\n    }\n    validator {\n      moniker\n    }\n    names(first: 1) {\n      nodes {\n        name\n      }\n    }\n  }\n}\n\nquery WalletChain {\n  feeToken\n  validators(first: 1) {\n    nodes {\n      operatorAddress\n      tokens {\n        denom\n      }\n    }\n  }\n}\n\nquery WalletCoin($denom: String!) {\n  denomMetadata(denom: $denom) {\n    symbol\n    display\n    denomUnits {\n      denom\n      exponent\n    }\n  }\n}\n\nquery DescribedMessages($messages: [JSON!]!) {\n  describeMessages(messages: $messages) {\n    inWords\n  }\n}": types.SubmittedDocument,
};

/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "query Submitted($hash: Hex!) {\n  transaction(hash: $hash) {\n    events(type: \"cosmos.group.v1.EventSubmitProposal\") {\n      json\n    }\n  }\n}\n\nquery FollowedProposal($id: ID!) @live {\n  proposal(id: $id) {\n    status\n    executorResult\n    outcome {\n      decision\n      yesNeeded\n    }\n  }\n  proposalRecord(id: $id) {\n    status\n    executorResult\n  }\n}\n\nquery WalletAccount($address: String!) {\n  account(address: $address) {\n    names(first: 1) {\n      nodes {\n        name\n      }\n    }\n    balances(first: 3) {\n      nodes {\n        denom\n        amount\n        display {\n          amount\n          denom\n          symbol\n        }\n      }\n    }\n  }\n}\n\nquery Recipient($address: String!) {\n  account(address: $address) {\n    kind\n    moduleName\n    contract {\n      label\n    }\n    marker {\n      denom\n    }\n    groupPolicy {\n      metadata\n      group {\n        metadata\n      }\n    }\n    validator {\n      moniker\n    }\n    names(first: 1) {\n      nodes {\n        name\n      }\n    }\n  }\n}\n\nquery WalletChain {\n  feeToken\n  validators(first: 1) {\n    nodes {\n      operatorAddress\n      tokens {\n        denom\n      }\n    }\n  }\n}\n\nquery WalletCoin($denom: String!) {\n  denomMetadata(denom: $denom) {\n    symbol\n    display\n    denomUnits {\n      denom\n      exponent\n    }\n  }\n}\n\nquery DescribedMessages($messages: [JSON!]!) {\n  describeMessages(messages: $messages) {\n    inWords\n  }\n}"): typeof import('./graphql').SubmittedDocument;


export function graphql(source: string) {
  return (documents as any)[source] ?? {};
}
