import { QueryTotalSupplyResponse } from 'cosmjs-types/cosmos/bank/v1beta1/query';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readRecording } from '../../recordings/recordings.ts';
import { createReplayNode, type ReplayNode } from '../../replay/replayNode.ts';
import { runsAll } from '../../support/atRandom.ts';
import { startChain, type TestChain } from '../../support/chain.ts';
import { type Stack, startStack } from '../../support/stack.ts';

let chain: TestChain;
let devnet: Stack;
let node: ReplayNode;
let recorded: Stack;

/** A recorded response to the first query with a path that ends so. */
const responseTo = (path: string, code = 0) =>
  readRecording('queries').find((row) => row.path.endsWith(path) && row.response.code === code)!.response;

/** What the recorded node returns to lists of other sizes than the recorded ones, and of what it does not have. */
function unrecordedResponse(path: string, data: string) {
  const supply = responseTo('Query/TotalSupply');
  const { supply: coins } = QueryTotalSupplyResponse.decode(Buffer.from(supply.value ?? '', 'base64'));
  const written = (bytes: Uint8Array) => ({ ...supply, value: Buffer.from(bytes).toString('base64') });
  // The recorded page of three denoms is the whole list here.
  if (path.endsWith('Query/TotalSupply'))
    return written(QueryTotalSupplyResponse.encode(QueryTotalSupplyResponse.fromPartial({ supply: coins })).finish());
  if (path.endsWith('Query/DenomsMetadata')) return responseTo('Query/DenomsMetadata');
  // The members and the policies of the group 4 were not recorded.
  if (/Query\/Group(Members|PoliciesByGroup)$/.test(path) && data.startsWith('0804')) return written(Buffer.of());
  const isBound = Buffer.from(data, 'hex').includes('kyc.pb');
  return path.endsWith('name.v1.Query/Resolve') && !isBound ? responseTo('name.v1.Query/Resolve', 6) : undefined;
}

beforeAll(async () => {
  chain = await startChain();
  devnet = await startStack([chain.node.url], { archive: { records: true } });
  node = await createReplayNode({
    instead(method, { path, data }) {
      const response = method === 'abci_query' ? unrecordedResponse(String(path), String(data)) : undefined;
      return response && { result: { response: { ...response } } };
    },
  });
  recorded = await startStack([node.url], { client: { learnsRoots: false } });
});

afterAll(async () => {
  await recorded.close();
  await node.close();
  await devnet.close();
  await chain.devnet.close();
});

const document = `query ($text: String!, $kinds: [SearchKind!]) {
  search(text: $text, kinds: $kinds, first: 1) {
    note
    nodes {
      __typename
      ... on Account { name: address } ... on NameRecord { name } ... on Validator { moniker } ... on Coin { name: denom }
      ... on Group { name: metadata } ... on GroupPolicy { board: metadata } ... on GroupMember { member: metadata } ... on Proposal { title: title } ... on ProposalRecord { title }
      ... on GovProposal { title } ... on GovProposalRecord { title }
    }
  }
}`;

/** The first thing that a search finds: its type and its name. `nothing`, or why an address names nothing. */
async function firstOf(stack: Stack, text: string, kinds?: readonly string[]): Promise<string> {
  const { body } = await stack.ask(document, { text, ...(kinds && { kinds }) });
  expect([text, body.errors]).toEqual([text, undefined]);
  const { search } = body.data as { search: { note: string | null; nodes: readonly Record<string, string>[] } };
  const [first] = search.nodes;
  if (first === undefined) return search.note ?? 'nothing';
  const { __typename: type, ...rest } = first;
  return `${type}: ${Object.values(rest).join(' ')}`;
}

const address = 'tp16klf3cny45skpulz4kazm9dx9fd44usmuglaar';

/** What is entered, and what is found first over the development chain with an archive. */
const devnetQueries: readonly [text: string, first: string][] = [
  ['assembly', 'Group: Assembly'],
  ['treasury', 'Group: Treasury council'],
  ['COUNCIL', 'Group: Treasury council'],
  ['grants', 'Group: Grants committee'],
  ['desk', 'Group: Operations desk'],
  ['hana', 'GroupMember: hana'],
  ['budget', 'GroupPolicy: The board: strategy, budget, appointments'],
  ['budget spring', 'ProposalRecord: Budget for the spring members meeting, round 2'],
  ['payments quarter', 'ProposalRecord: Quarterly contributor payments'],
  ['elections', 'GroupPolicy: Charter and elections'],
  ['quorum', 'ProposalRecord: Amend article 4: quorum for elections'],
  ['Appoint an INDEPENDENT', 'ProposalRecord: Appoint an independent treasurer, round 2'],
  ['conference', 'ProposalRecord: Sponsor the open ledger conference, round 2'],
  ['board', 'GroupPolicy: The board: strategy, budget, appointments'],
  ['deposit', 'Coin: microusd'],
  ['translate', 'ProposalRecord: Translate the handbook into Spanish and Portuguese, round 2'],
  ['documentation', 'GovProposalRecord: Translate the documentation'],
  ['explorers', 'GovProposalRecord: Publish block explorers for every region'],
  ['HLF1', 'Coin: fundshare'],
  ['home loan', 'Coin: fundshare'],
  ['gold', 'Coin: gramgold'],
  ['hash', 'Coin: nhash'],
  ['kyc.pb', 'NameRecord: kyc.pb'],
  ['harbor', 'Validator: harbor'],
  ['validator-0', 'Validator: validator-0'],
  [address, `Account: ${address}`],
  ['zzzz', 'nothing'],
  [
    'cosmos1qypqxpq9qcrsszg2pvxq6rs0zqg3yyc5lzv7xu',
    '`text` must be an address of an account of this chain (`tp1…`); `cosmos1…` is an address of another chain.',
  ],
];

/** The kinds whose lists the recorded chain has. */
const recordedKinds = ['ACCOUNT', 'NAME', 'TOKEN', 'GROUP', 'MEMBER', 'PROPOSAL'];

/** What is entered, and what is found first over the recorded chain without an archive. */
const recordedQueries: readonly [text: string, first: string][] = [
  ['treasury', 'Group: treasury'],
  ['council', 'Group: council'],
  ['COUNCIL 7', 'Proposal: Council 7'],
  ['fast', 'Group: fast'],
  ['abort', 'Group: aborting'],
  ['alice', 'GroupMember: alice'],
  ['bob', 'GroupMember: bob'],
  ['carol', 'GroupMember: carol'],
  // The chain has deleted that proposal.
  ['pay dave', 'nothing'],
  ['votes', 'Proposal: Open with votes'],
  ['ends', 'Proposal: Ends rejected'],
  ['withdraw', 'Proposal: To withdraw'],
  ['summary', 'Proposal: Council 12'],
  ['gold', 'Coin: goldcoin'],
  ['scope', 'Coin: nft/scope1qpzyg3zyyg3yxvuyg3242424242s4epjvg'],
  ['kyc.pb', 'NameRecord: kyc.pb'],
  ['pb', 'nothing'],
];

describe('what a search finds first', () => {
  it.runIf(runsAll)('over the development chain', async () => {
    const found = [];
    for (const [text] of devnetQueries) found.push([text, await firstOf(devnet, text)]);
    expect(found).toEqual(devnetQueries);
  });

  it('over the recorded chain', async () => {
    const found = [];
    for (const [text] of recordedQueries) found.push([text, await firstOf(recorded, text, recordedKinds)]);
    expect(found).toEqual(recordedQueries);
    expect(node.unrecorded).toEqual([]);
  });
});
