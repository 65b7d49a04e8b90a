import type { Lie } from '../../packages/devnet/src/abci/abci.ts';
import { lieKinds, lieProofs } from '../../packages/devnet/src/abci/abci.ts';
import { headerForgeries, type NodeLie } from '../../packages/devnet/src/node/faults/falseHeaders.ts';
import { startChain, type TestChain } from './chain.ts';
import { createGroup, describeGroup, submitProposal, type TestGroup, vote } from './groups.ts';

/** Asks for what each kind of lie is about. */
export const liesDocument = `query Everything($id: ID!, $policy: String!, $group: ID!, $one: String!, $voter: String!) {
  proposal(id: $id) {
    id title status executorResult finalTallyResult { yesCount noCount } tally { yesCount abstainCount noCount }
    votes { nodes { voter { address } option } }
    groupPolicy { address group { id totalWeight } }
    outcome { decision votedPercent }
  }
  groupPolicy(address: $policy) { proposals { nodes { id title status } } }
  group(id: $group) { metadata totalWeight members { nodes { account { address } weight } } }
  account(address: $one) { invented: balance(denom: "invented") { amount } nhash: balance(denom: "nhash") { amount } }
  voter: account(address: $voter) { votes { nodes { proposalId option } } }
}`;

/** A chain with two nodes, of which the first one may lie, and with a group whose proposals have votes. */
export interface LiesChain {
  readonly chain: TestChain;
  readonly group: TestGroup;
  /** The variables of {@link liesDocument}. */
  readonly variables: Readonly<Record<string, string>>;
}

/** Starts the chain. */
export async function startLiesChain(): Promise<LiesChain> {
  const cosigners = () => [
    { seed: 'b', power: 900_000_000n },
    { seed: 'c', power: 10n },
  ];
  const chain = await startChain({ nodes: 2, cosigners });
  const [one, two, three, four] = chain.accounts as [never, never, never, never];
  const group = await createGroup(
    chain,
    [
      [one, '1'],
      [two, '2'],
      [three, '3'],
      [four, '4'],
    ],
    { threshold: '10', votingSeconds: 10_000 },
  );
  const id = await submitProposal(chain, group, one, { title: 'First' });
  for (const voter of [one, two, three]) await chain.run(voter, vote(voter, id, 'YES'));
  await submitProposal(chain, group, one, { title: 'Second' });
  const [first = '', second = ''] = chain.accounts.map(({ address }) => address);
  return { chain, group, variables: { id: `${id}`, policy: group.policy, group: `${group.id}`, one: first, voter: second } };
}

/** All lies: each kind with each kind of proofs, and with each kind of forged headers. */
export const allLies: readonly NodeLie[] = lieKinds.flatMap((kind) => [
  ...lieProofs.map((proofs): NodeLie => ({ kind, proofs })),
  ...headerForgeries.map((headers): NodeLie => ({ kind, proofs: 'rebuilt', headers })),
]);

let changes = 0;

/** Makes the first node lie, and three blocks. The first of them changes the stores of groups and of balances, so that an old state is another one. */
export async function beginLie({ chain, group }: LiesChain, lie: NodeLie): Promise<void> {
  chain.node.faults.lie = lie;
  const [one] = chain.accounts as [never];
  await chain.run(one, describeGroup(one, group, `Description ${++changes}`));
  for (let block = 0; block < 2; block += 1) await chain.devnet.commit();
}

/** The name of a lie in a test. */
export const nameOfLie = ({ kind, proofs, headers }: Lie & Pick<NodeLie, 'headers'>): string =>
  `${kind}, ${proofs} proofs${headers === undefined ? '' : `, ${headers} headers`}`;
