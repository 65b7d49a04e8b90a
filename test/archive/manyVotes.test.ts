import { afterAll, beforeAll, expect, it } from 'vitest';
import { createAccounts, type WalletAccount } from '../../packages/devnet/src/app/runtime/wallet.ts';
import { archiveOf } from '../../src/archive/setup/archive.ts';
import { MsgSendSchema } from '../../src/proto/cosmos/bank/v1beta1/tx_pb.js';
import { runsAll } from '../support/atRandom.ts';
import { any, startChain, type TestChain } from '../support/chain.ts';
import { createGroup, exec, submitProposal, vote, weigh } from '../support/groups.ts';
import { type Stack, startStack } from '../support/stack.ts';

/** Votes in one block. Fewer outside CI, because each is a signed transaction. */
const count = runsAll ? 500 : 120;

let chain: TestChain;
let stack: Stack;

beforeAll(async () => {
  chain = await startChain({ bare: true });
  stack = await startStack([chain.node.url], { archive: { records: true } });
});
afterAll(async () => {
  await stack.close();
  await chain.devnet.close();
});

/** Broadcasts a transaction with this gas. */
async function send(account: WalletAccount, gas: bigint, ...messages: Parameters<TestChain['sign']>[1]): Promise<void> {
  const fee = { amount: [{ denom: 'nhash', amount: gas * 2_000n }], gas };
  const tx = chain.sign(account, messages, { fee });
  expect(await stack.client.broadcaster.sync(tx)).toMatchObject({ checkTx: { code: 0 } });
}

interface VotePage {
  readonly totalCount: string;
  readonly nodes: readonly { readonly voter: { readonly address: string }; readonly option: string; readonly weight: string }[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string };
}

const options = ['YES', 'YES', 'YES', 'NO', 'ABSTAIN', 'NO_WITH_VETO'] as const;
const optionOf = (index: number) => options[index % options.length]!;

it.runIf(runsAll)(
  'hundreds of votes in one block are all recorded, counted like the chain counts them, and read page by page',
  async () => {
    const voters = createAccounts(count);
    const [admin] = voters;
    const { address: from } = admin!;
    const amount = [{ denom: 'nhash', amount: '1000000000000' }];
    const fund = ({ address: to }: WalletAccount) => any(MsgSendSchema, { fromAddress: from, toAddress: to, amount });
    await send(admin!, 40_000_000n, ...voters.slice(10).map(fund));
    await chain.devnet.commit();
    // Weights of 1, 1.5 and 2 in turn.
    const weightOf = (index: number): number => 1 + (index % 3) / 2;
    const group = await createGroup(
      chain,
      voters.slice(0, 10).map((voter, index) => [voter, String(weightOf(index))]),
      { threshold: '10', votingSeconds: 600 },
    );
    const others = voters.slice(10).map((voter, index) => [voter, String(weightOf(index + 10))] as const);
    await send(admin!, 40_000_000n, weigh(admin!, group, others));
    await chain.devnet.commit();
    const id = await submitProposal(chain, group, admin!);
    for (const [index, voter] of voters.entries()) await send(voter, 110_000n, vote(voter, id, optionOf(index)));
    const height = await chain.devnet.commit();
    await send(admin!, 20_000_000n, exec(admin!, id));
    await chain.devnet.commit();
    await archiveOf(stack.client.archive())!.reader.waitFor(chain.devnet.height, { milliseconds: 30_000 });
    const { transactions } = stack.client.blocks.at(height)!;
    expect([transactions.length, transactions.every(({ result }) => result.code === 0)]).toEqual([count, true]);

    const found: VotePage['nodes'][number][] = [];
    for (let after: string | null = null, more = true; more; ) {
      const answer: { body: { data?: unknown; errors?: unknown } } = await stack.ask(
        `query ($after: String) { proposalRecord(id: "${id}") { votes(first: 100, after: $after) { totalCount nodes { voter { address } option weight } pageInfo { hasNextPage endCursor } } } }`,
        { after },
      );
      expect(answer.body.errors).toBeUndefined();
      const { votes } = (answer.body.data as { proposalRecord: { votes: VotePage } }).proposalRecord;
      expect(votes.totalCount).toBe(String(count));
      found.push(...votes.nodes);
      [after, more] = [votes.pageInfo.endCursor, votes.pageInfo.hasNextPage];
    }
    const cast = voters.map(({ address }, index) => ({
      voter: { address },
      option: `VOTE_OPTION_${optionOf(index)}`,
      weight: String(weightOf(index)),
    }));
    const byVoter = (one: (typeof found)[number], other: (typeof found)[number]): number =>
      one.voter.address < other.voter.address ? -1 : 1;
    expect(found.toSorted(byVoter)).toEqual(cast.toSorted(byVoter));

    const total = (option: (typeof options)[number]): string =>
      String(voters.reduce((sum, _, index) => (optionOf(index) === option ? sum + weightOf(index) : sum), 0));
    const tally = {
      yesCount: total('YES'),
      noCount: total('NO'),
      abstainCount: total('ABSTAIN'),
      noWithVetoCount: total('NO_WITH_VETO'),
    };
    const counts = 'yesCount noCount abstainCount noWithVetoCount';
    const { body } = await stack.ask(
      `{ proposalRecord(id: "${id}") { status votes { nodes { at { height } } } closedBy audit { agrees chain { ${counts} } computed { ${counts} } } electorate(voted: false) { totalCount } } }`,
    );
    expect(body.data).toMatchObject({
      proposalRecord: {
        status: 'PROPOSAL_STATUS_ACCEPTED',
        closedBy: 'DECIDED',
        audit: { agrees: true, chain: tally, computed: tally },
        electorate: { totalCount: '0' },
      },
    });
  },
  120_000,
);
