import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startChain, type TestChain } from '../../support/chain.ts';
import * as groups from '../../support/groups.ts';
import { type Stack, startStack } from '../../support/stack.ts';

// How reminders follow from the states of a chain is compared with the states in updatesAtRandom.test.ts.

let chain: TestChain;
let stack: Stack;

beforeEach(async () => {
  chain = await startChain({ bare: true, genesisTime: 1_900_000_000_000_000_000n });
  stack = await startStack([chain.node.url]);
});

afterEach(async () => {
  await stack.close();
  await chain.devnet.close();
  expect(stack.masked).toEqual([]);
});

/** A group of three with weights 1, 1.5 and 1, a threshold of 2 and a voting period of 20 s. Blocks are one second apart. */
async function createGroup(minExecutionSeconds = 0): Promise<groups.TestGroup> {
  const [one, two, three] = chain.accounts;
  const members = [[one!, '1'] as const, [two!, '1.5'] as const, [three!, '1'] as const];
  return groups.createGroup(chain, members, { minExecutionSeconds });
}

interface Reminder {
  readonly height: string;
  readonly reason: string;
  readonly before: string | null;
  readonly proposalId: string;
  readonly proposal: { readonly status: string; readonly votes: { readonly totalCount: string } };
}

/** Opens the subscription over server-sent events. Yields its reminders and errors. */
async function* subscribe(selection: string): AsyncGenerator<{ reminder?: Reminder; error?: Record<string, unknown> }> {
  const query = `subscription { reminders(${selection}) { proposalId height reason before proposal { status votes { totalCount } } } }`;
  const response = await fetch(`${stack.server.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
    body: JSON.stringify({ query }),
  });
  let text = '';
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    const frames = text.split('\n\n');
    text = frames.pop()!;
    for (const frame of frames) {
      const json = /^data: (\{.*\})$/m.exec(frame)?.[1];
      if (json === undefined) continue;
      const { data, errors } = JSON.parse(json) as {
        data?: { reminders: Reminder };
        errors?: { extensions: Record<string, unknown> }[];
      };
      if (errors?.[0] !== undefined) yield { error: errors[0].extensions };
      else yield { reminder: data!.reminders };
    }
  }
}

/** The next `count` reminders, as `blocks after the start: proposal, reason, window, status, votes`. */
async function take(stream: ReturnType<typeof subscribe>, count: number, start: bigint): Promise<string[]> {
  const texts: string[] = [];
  while (texts.length < count) {
    const { reminder, error } = (await stream.next()).value!;
    if (reminder === undefined) throw new Error(JSON.stringify(error));
    const { height, proposalId, reason, before, proposal } = reminder;
    const status = proposal.status.replace('PROPOSAL_STATUS_', '');
    texts.push(`${BigInt(height) - start}: ${proposalId} ${reason} ${before} ${status} ${proposal.votes.totalCount}`);
  }
  await stream.return(undefined);
  return texts;
}

describe('reminders', () => {
  it('are sent once for each window while the member has not voted, at the heights of their blocks', async () => {
    const [one, two] = chain.accounts;
    const group = await createGroup();
    const start = chain.devnet.height;
    const live = (member: string): Promise<string[]> =>
      take(
        subscribe(`member: "${member}", before: ["10s", "5s", "1s"], after: ${start}`),
        member === one!.address ? 2 : 4,
        start,
      );
    await stack.client.head.waitFor(start, { milliseconds: 30_000 });
    const [ofOne, ofTwo] = [live(one!.address), live(two!.address)];
    const id = await groups.submitProposal(chain, group, one!);
    for (let block = 0; block < 11; block += 1) await chain.devnet.commit();
    await chain.run(one!, groups.vote(one!, id, 'NO'));
    for (let block = 0; block < 10; block += 1) await chain.devnet.commit();
    // The second proposal begins within the longest window of another subscription.
    const second = await groups.submitProposal(chain, group, one!);
    await chain.run(two!, groups.vote(two!, second));
    await chain.run(one!, groups.vote(one!, second));
    // Submitted in block 1, its voting period ends with block 21. The member `one` voted in block 13.
    expect(await ofOne).toEqual([`11: ${id} VOTING_ENDS 10s SUBMITTED 0`, `26: ${second} EXECUTABLE null SUBMITTED 2`]);
    expect(await ofTwo).toEqual([
      `11: ${id} VOTING_ENDS 10s SUBMITTED 0`,
      `16: ${id} VOTING_ENDS 5s SUBMITTED 1`,
      `20: ${id} VOTING_ENDS 1s SUBMITTED 1`,
      `26: ${second} EXECUTABLE null SUBMITTED 2`,
    ]);
    // A proposal that is submitted within two of the windows has one reminder, with the shorter one, whoever has voted.
    const late = subscribe(`groupId: ${group.id}, before: ["1h", "15s", "30s"], after: ${start}`);
    expect(await take(late, 2, start)).toEqual([
      `1: ${id} VOTING_ENDS 30s SUBMITTED 0`,
      `6: ${id} VOTING_ENDS 15s SUBMITTED 0`,
    ]);
  });

  it('wait for the minimum execution period, and resume where they ended', async () => {
    const [one, two] = chain.accounts;
    const group = await createGroup(8);
    const start = chain.devnet.height;
    const id = await groups.submitProposal(chain, group, one!);
    await chain.run(one!, groups.vote(one!, id));
    await chain.run(two!, groups.vote(two!, id));
    for (let block = 0; block < 7; block += 1) await chain.devnet.commit();
    await stack.client.head.waitFor(chain.devnet.height, { milliseconds: 30_000 });
    const since = (after: bigint): Promise<string[]> =>
      take(subscribe(`groupPolicyAddress: "${group.policy}", before: ["1s"], after: ${after}`), 1, start);
    // Submitted in block 1, at second 1.
    expect(await since(start)).toEqual([`9: ${id} EXECUTABLE null SUBMITTED 2`]);
    expect(await since(start + 8n)).toEqual([`9: ${id} EXECUTABLE null SUBMITTED 2`]);
    const next = since(start + 9n);
    await chain.run(one!, groups.exec(one!, id));
    const other = await groups.submitProposal(chain, group, one!);
    for (let block = 0; block < 19; block += 1) await chain.devnet.commit();
    expect(await next).toEqual([`31: ${other} VOTING_ENDS 1s SUBMITTED 0`]);
  });

  it('have arguments that are checked', async () => {
    const { address } = chain.accounts[0]!;
    const wrong: [selection: string, argument: string, bound: string][] = [
      [`member: "${address}", before: []`, 'before', '1 to 10 durations'],
      [`before: ["1 day"]`, 'before', 'a duration such as "24h", "30m" or "90s", from 0.000000001s to 31622400s'],
      [`before: ["0s"]`, 'before', 'a duration such as "24h", "30m" or "90s", from 0.000000001s to 31622400s'],
      [`before: ["367d"]`, 'before', 'a duration such as "24h", "30m" or "90s", from 0.000000001s to 31622400s'],
      [`before: ["1.5h"]`, 'before', 'a duration such as "24h", "30m" or "90s", from 0.000000001s to 31622400s'],
      [`member: "nobody", before: ["1h"]`, 'member', 'a bech32 address'],
      [
        `groupId: 1, groupPolicyAddress: "${address}", before: ["1h"]`,
        'groupId',
        'the only one of `groupId` and `groupPolicyAddress` that is given',
      ],
    ];
    for (const [selection, argument, bound] of wrong) {
      const { value } = await subscribe(selection).next();
      expect(value?.error, selection).toMatchObject({ code: 'BAD_USER_INPUT', argument, bound });
    }
  });
});
