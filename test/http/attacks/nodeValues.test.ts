import { QueryProposalResponse, QueryVoteByProposalVoterResponse } from 'cosmjs-types/cosmos/group/v1/query';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { MsgSendSchema } from '../../../src/proto/cosmos/bank/v1beta1/tx_pb.js';
import { runsAll } from '../../support/atRandom.ts';
import { any } from '../../support/chain.ts';
import { startStack } from '../../support/stack.ts';
import { startTarget, type Target } from './setup.ts';

let target: Target;

beforeAll(async () => {
  target = await startTarget();
});

afterEach(async () => {
  target.chain.node.heal();
  await target.isWell();
});

afterAll(() => target.close());

describe('T44: a transaction index that lags behind the block', () => {
  it.runIf(runsAll)('is not needed: committed transactions are found, also by a server that has just started', async () => {
    const { chain, stack } = target;
    chain.node.faults.call = ({ method, params }) => {
      if (method !== 'tx') return undefined;
      const hash = Buffer.from((params as { hash: string }).hash, 'base64')
        .toString('hex')
        .toUpperCase();
      return { rpc: { code: -32603, message: 'Internal error', data: `tx (${hash}) not found` } };
    };
    const [from, to] = chain.accounts;
    const coins = [{ denom: 'nhash', amount: '1' }];
    const send = any(MsgSendSchema, { fromAddress: from!.address, toAddress: to!.address, amount: coins });
    const hash = await chain.submit(from!, send);
    const height = await chain.devnet.commit();
    await stack.client.head.waitFor(height, { milliseconds: 30_000 });
    const found = { transaction: { hash, height: height.toString(), code: 0 } };
    const question = `{ transaction(hash: "${hash}") { hash height code } }`;
    expect((await stack.ask(question)).body).toMatchObject({ data: found });

    // In the newest block or the one before it when the new server is called. Its head started at the newest.
    for (let later = 0; later < 2; later += 1) {
      const other = await startStack([chain.node.url]);
      const { body } = await other.ask(question);
      expect(body).toMatchObject({ data: found });
      const absent = `{ transaction(hash: "${'AB'.repeat(32)}") { hash } }`;
      expect((await other.ask(absent)).body).toMatchObject({ data: { transaction: null } });
      chain.node.counters.reset();
      expect((await other.ask(`# again\n${absent}`)).body).toMatchObject({ data: { transaction: null } });
      expect(chain.node.counters.byMethod).not.toHaveProperty('block');
      await other.close();
      await stack.client.head.waitFor(await chain.devnet.commit(), { milliseconds: 30_000 });
    }
  });
});

describe('T45, T46: values of a newer chain', () => {
  const forged = (path: string, bytes: Uint8Array): void => {
    const value = Buffer.from(bytes).toString('base64');
    target.chain.node.faults.forge = ({ method, params }, result) => {
      const asked = params as { path: string; height: string };
      if (method !== 'abci_query' || asked.path !== path) return result;
      const { response } = result as { response: Record<string, string> };
      return { response: { ...response, code: 0, codespace: '', log: '', value, height: asked.height } };
    };
  };

  it('unknown enum values, nanoseconds, the year 1 and unknown messages are returned', async () => {
    const { stack, chain } = target;
    const bytes = Uint8Array.of(10, 3, 1, 2, 3);
    forged(
      '/cosmos.group.v1.Query/Proposal',
      QueryProposalResponse.encode(
        QueryProposalResponse.fromPartial({
          proposal: {
            id: 9_007_199_254_740_993n,
            groupPolicyAddress: chain.accounts[0]!.address,
            status: 99 as number,
            executorResult: 77 as number,
            submitTime: { seconds: 1_700_000_000n, nanos: 123_456_789 },
            votingPeriodEnd: { seconds: -62_135_596_800n, nanos: 1 },
            messages: [{ typeUrl: '/theirs.v9.MsgNew', value: bytes }],
          },
        }),
      ).finish(),
    );
    const { body } = await stack.ask(
      '{ proposal(id: "9007199254740993") { id status executorResult submitTime votingPeriodEnd messages { type value json inWords } } }',
    );
    expect(body).toMatchObject({
      data: {
        proposal: {
          id: '9007199254740993',
          status: 'UNRECOGNIZED',
          executorResult: 'UNRECOGNIZED',
          submitTime: '2023-11-14T22:13:20.123456789Z',
          votingPeriodEnd: '0001-01-01T00:00:00.000000001Z',
          messages: [{ type: '/theirs.v9.MsgNew', value: Buffer.from(bytes).toString('base64'), json: null, inWords: null }],
        },
      },
    });
    expect(body.errors).toBeUndefined();
  });

  it('a vote with an unknown option', async () => {
    const { stack, chain } = target;
    const voter = chain.accounts[0]!.address;
    forged(
      '/cosmos.group.v1.Query/VoteByProposalVoter',
      QueryVoteByProposalVoterResponse.encode(
        QueryVoteByProposalVoterResponse.fromPartial({ vote: { proposalId: 5n, voter, option: 42 as number } }),
      ).finish(),
    );
    const { body } = await stack.ask(`{ voteByProposalVoter(proposalId: 5, voter: "${voter}") { option } }`);
    expect(body).toMatchObject({ data: { voteByProposalVoter: { option: 'UNRECOGNIZED' } } });
    expect(body.errors).toBeUndefined();
  });
});
