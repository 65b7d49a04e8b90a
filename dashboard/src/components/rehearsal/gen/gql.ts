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
    "fragment RehearsalParts on Rehearsal {\n  outcome\n  cause\n  reason\n  assumption\n  height\n  gasUsed\n  gasShare\n  isCut\n  failedMessage {\n    index\n    error\n    inWords\n    message {\n      type\n    }\n  }\n  transfers {\n    sender {\n      address\n      moduleName\n    }\n    recipient {\n      address\n      moduleName\n    }\n    amount {\n      denom\n      amount\n      display {\n        amount\n        denom\n        symbol\n      }\n    }\n  }\n  balanceChanges {\n    account {\n      address\n      moduleName\n    }\n    denom\n    before\n    after\n    displayBefore {\n      amount\n      denom\n      symbol\n    }\n    displayAfter {\n      amount\n      denom\n      symbol\n    }\n  }\n  stateChanges\n}\n\nquery ProposalRehearsal($id: ID!) @live {\n  proposal(id: $id) {\n    rehearsal {\n      ...RehearsalParts\n    }\n  }\n}\n\nquery Rehearse($policy: String!, $messages: [JSON!]!) {\n  rehearse(groupPolicyAddress: $policy, messages: $messages) {\n    ...RehearsalParts\n  }\n}\n\nquery BoardRehearsals($policy: String!) @live {\n  groupPolicy(address: $policy) {\n    proposals(\n      status: [PROPOSAL_STATUS_SUBMITTED, PROPOSAL_STATUS_ACCEPTED]\n      first: 20\n      reverse: true\n    ) {\n      nodes {\n        id\n        rehearsal {\n          outcome\n          reason\n        }\n      }\n    }\n  }\n}": typeof types.RehearsalPartsFragmentDoc,
};
const documents: Documents = {
    "fragment RehearsalParts on Rehearsal {\n  outcome\n  cause\n  reason\n  assumption\n  height\n  gasUsed\n  gasShare\n  isCut\n  failedMessage {\n    index\n    error\n    inWords\n    message {\n      type\n    }\n  }\n  transfers {\n    sender {\n      address\n      moduleName\n    }\n    recipient {\n      address\n      moduleName\n    }\n    amount {\n      denom\n      amount\n      display {\n        amount\n        denom\n        symbol\n      }\n    }\n  }\n  balanceChanges {\n    account {\n      address\n      moduleName\n    }\n    denom\n    before\n    after\n    displayBefore {\n      amount\n      denom\n      symbol\n    }\n    displayAfter {\n      amount\n      denom\n      symbol\n    }\n  }\n  stateChanges\n}\n\nquery ProposalRehearsal($id: ID!) @live {\n  proposal(id: $id) {\n    rehearsal {\n      ...RehearsalParts\n    }\n  }\n}\n\nquery Rehearse($policy: String!, $messages: [JSON!]!) {\n  rehearse(groupPolicyAddress: $policy, messages: $messages) {\n    ...RehearsalParts\n  }\n}\n\nquery BoardRehearsals($policy: String!) @live {\n  groupPolicy(address: $policy) {\n    proposals(\n      status: [PROPOSAL_STATUS_SUBMITTED, PROPOSAL_STATUS_ACCEPTED]\n      first: 20\n      reverse: true\n    ) {\n      nodes {\n        id\n        rehearsal {\n          outcome\n          reason\n        }\n      }\n    }\n  }\n}": types.RehearsalPartsFragmentDoc,
};

/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "fragment RehearsalParts on Rehearsal {\n  outcome\n  cause\n  reason\n  assumption\n  height\n  gasUsed\n  gasShare\n  isCut\n  failedMessage {\n    index\n    error\n    inWords\n    message {\n      type\n    }\n  }\n  transfers {\n    sender {\n      address\n      moduleName\n    }\n    recipient {\n      address\n      moduleName\n    }\n    amount {\n      denom\n      amount\n      display {\n        amount\n        denom\n        symbol\n      }\n    }\n  }\n  balanceChanges {\n    account {\n      address\n      moduleName\n    }\n    denom\n    before\n    after\n    displayBefore {\n      amount\n      denom\n      symbol\n    }\n    displayAfter {\n      amount\n      denom\n      symbol\n    }\n  }\n  stateChanges\n}\n\nquery ProposalRehearsal($id: ID!) @live {\n  proposal(id: $id) {\n    rehearsal {\n      ...RehearsalParts\n    }\n  }\n}\n\nquery Rehearse($policy: String!, $messages: [JSON!]!) {\n  rehearse(groupPolicyAddress: $policy, messages: $messages) {\n    ...RehearsalParts\n  }\n}\n\nquery BoardRehearsals($policy: String!) @live {\n  groupPolicy(address: $policy) {\n    proposals(\n      status: [PROPOSAL_STATUS_SUBMITTED, PROPOSAL_STATUS_ACCEPTED]\n      first: 20\n      reverse: true\n    ) {\n      nodes {\n        id\n        rehearsal {\n          outcome\n          reason\n        }\n      }\n    }\n  }\n}"): typeof import('./graphql').RehearsalPartsFragmentDoc;


export function graphql(source: string) {
  return (documents as any)[source] ?? {};
}
