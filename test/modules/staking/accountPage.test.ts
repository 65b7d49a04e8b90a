import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CallsNode, createCallsNode } from '../../replay/recordedCalls.ts';
import { type Stack, startStack } from '../../support/stack.ts';

const delegator = 'wasm18s5lynnmx37hq4wlrw9gdn68sg2uxp5r23gln4';
const operator = 'wasm1cyyzpxplxdzkeea7kwsydadg87357qna465cff';
const vesting = 'wasm179skchc2c5l04hjstg3ha35u3855vx4klw9nj7';
const valoper = 'wasmvaloper1cyyzpxplxdzkeea7kwsydadg87357qnaqxpy8n';
/** Before the second validator, while two proposals were open, and after the second validator was slashed. */
const [before, voting] = ['5850', '5886'];

let node: CallsNode;
let stack: Stack;

beforeAll(async () => {
  node = await createCallsNode('account');
});
afterAll(async () => {
  await node.close();
});

/** A server with nothing in memory. */
async function withStack(run: () => Promise<void>): Promise<void> {
  stack = await startStack([node.url]);
  await stack.client.head.ready({ milliseconds: 10_000 });
  node.calls.length = 0;
  try {
    await run();
  } finally {
    await stack.close();
  }
  expect(stack.masked).toEqual([]);
  expect(node.unrecorded).toEqual([]);
}

const coins = '{ denom amount }';
const page = `query ($address: String!) { account(address: $address) {
  accountNumber sequence
  balances { nodes ${coins} }
  vesting { original ${coins} vestedNow ${coins} }
  staking {
    total ${coins}
    delegations { nodes { operatorAddress balance ${coins} rewards ${coins} validator {
      address moniker tokens ${coins} commissionPercent jailed isBonded operator { address }
      signingInfo { startHeight missedBlocks window }
    } } }
    unbonding { operatorAddress creationHeight completionTime initialBalance ${coins} balance ${coins} }
    redelegations { operatorAddress toValidator { operatorAddress } creationHeight completionTime balance ${coins} }
    rewards ${coins} commission ${coins} withdrawAddress { address }
  }
  validator { operatorAddress }
  govVotes { nodes { proposalId options { option weight } proposal { title status votingEndTime } } }
  authzGiven { nodes { grantee { address } authorization { type } } }
  authzReceived { nodes { granter { address } authorization { type } } }
  feeGrantsReceived { nodes { granter { address } } }
} }`;

interface Fields {
  readonly [name: string]: Fields & readonly Fields[] & string;
}

/** The calls so far, without those that follow the head and the one for the prefix of addresses, which is read once for a chain. A query is named by its module and its method. */
const queries = (): readonly string[] =>
  sorted(
    node.calls
      .map((path) => path.replace(/^\/cosmos\.(\w+)\.\w+\.Query\//, '$1 '))
      .filter((call) => !/Bech32Prefix$|^abci_info$|^status$/.test(call)),
  );

/** Facts of an account in one form: from the answer to the one request, or from the paths of the node's REST. */
type Facts = Readonly<Record<string, unknown>>;

const sorted = (texts: readonly string[]): readonly string[] => texts.toSorted();
const coinsText = (list: readonly Fields[] = []): string => list.map(({ denom, amount }) => `${Number(amount)}${denom}`).join();
/** The time without the zeros at its end, which the REST leaves out. */
const timeText = (time: string): string => time.replace(/\.?0*Z$/, 'Z');

function factsOfAnswer(data: unknown): Facts {
  const { account } = data as { account: Fields };
  const { staking } = account;
  return {
    account: `${account.accountNumber} ${account.sequence}`,
    balances: coinsText(account.balances!.nodes),
    vested: account.vesting === null ? null : coinsText(account.vesting!.vestedNow),
    total: coinsText([staking!.total!]),
    delegations: staking!.delegations!.nodes!.map(({ operatorAddress, balance, rewards }) =>
      [operatorAddress, coinsText([balance!]), coinsText(rewards)].join(' '),
    ),
    validators: sorted(
      staking!.delegations!.nodes!.map(({ validator: v, operatorAddress }) =>
        [operatorAddress, v!.moniker, v!.tokens!.amount, Number(v!.commissionPercent), v!.jailed, v!.isBonded].join(' '),
      ),
    ),
    missed: staking!.delegations!.nodes!.map(({ validator: v }) =>
      [v!.signingInfo!.startHeight, v!.signingInfo!.missedBlocks, v!.signingInfo!.window].join(' '),
    ),
    unbonding: staking!.unbonding!.map((move) =>
      [
        move.operatorAddress,
        move.creationHeight,
        timeText(move.completionTime!),
        coinsText([move.initialBalance!, move.balance!]),
      ].join(' '),
    ),
    redelegations: staking!.redelegations!.map((move) =>
      [
        move.operatorAddress,
        move.toValidator!.operatorAddress,
        move.creationHeight,
        timeText(move.completionTime!),
        coinsText([move.balance!]),
      ].join(' '),
    ),
    rewards: coinsText(staking!.rewards),
    commission: staking!.commission === null ? null : coinsText(staking!.commission),
    withdrawAddress: staking!.withdrawAddress!.address,
    operates: account.validator?.operatorAddress ?? null,
    votes: account.govVotes!.nodes!.map(({ proposalId, options, proposal }) =>
      [proposalId, proposal!.title, proposal!.status, timeText(proposal!.votingEndTime!), optionsText(options!)].join(' '),
    ),
    given: sorted(account.authzGiven!.nodes!.map(({ grantee, authorization }) => `${grantee!.address} ${authorization!.type}`)),
    received: sorted(
      account.authzReceived!.nodes!.map(({ granter, authorization }) => `${granter!.address} ${authorization!.type}`),
    ),
    fees: account.feeGrantsReceived!.nodes!.map(({ granter }) => granter!.address),
  };
}

const optionsText = (options: readonly Fields[]): string =>
  options.map(({ option, weight }) => `${option} ${Number(weight)}`).join();

/** The same facts as a client without Stele reads them: each path, in this order. */
function factsOfRest(address: string, height: string): { readonly facts: Facts; readonly paths: readonly string[] } {
  const paths: string[] = [];
  const get = (path: string): Fields => {
    paths.push(path);
    return node.rest(path, height) as unknown as Fields;
  };
  const { account } = get(`/cosmos/auth/v1beta1/accounts/${address}`);
  const base = account!.base_account ?? account!.base_vesting_account?.base_account ?? account!;
  const { balances } = get(`/cosmos/bank/v1beta1/balances/${address}`);
  const isVesting = account!['@type']!.includes('vesting');
  const spendable = isVesting ? get(`/cosmos/bank/v1beta1/spendable_balances/${address}`).balances : undefined;
  const { bond_denom: denom } = get('/cosmos/staking/v1beta1/params').params!;
  const { delegation_responses: delegations } = get(`/cosmos/staking/v1beta1/delegations/${address}`);
  const { validators } = get(`/cosmos/staking/v1beta1/delegators/${address}/validators`);
  const { unbonding_responses: unbonding } = get(`/cosmos/staking/v1beta1/delegators/${address}/unbonding_delegations`);
  const { redelegation_responses: moves } = get(`/cosmos/staking/v1beta1/delegators/${address}/redelegations`);
  const { rewards, total } = get(`/cosmos/distribution/v1beta1/delegators/${address}/rewards`);
  const { withdraw_address: withdrawAddress } = get(`/cosmos/distribution/v1beta1/delegators/${address}/withdraw_address`);
  const { params: slashing } = get('/cosmos/slashing/v1beta1/params');
  // The consensus address of a validator is the hash of its key. It is written here, because this list counts requests.
  const consensus: Readonly<Record<string, string>> = {
    node: 'wasmvalcons1xsp5le4zvmyf2gjx5rzmlck8mnlxugp7gmsyfm',
    second: 'wasmvalcons1nrctmccwdg65pw0zx5wtxt8hw06lsta49fkx2r',
  };
  const signing = new Map(
    validators!.map(({ operator_address: of, description }) => [
      of,
      get(`/cosmos/slashing/v1beta1/signing_infos/${consensus[description!.moniker!]}`).val_signing_info!,
    ]),
  );
  const operates = address === operator;
  const earned = operates ? get(`/cosmos/distribution/v1beta1/validators/${valoper}/commission`).commission : undefined;
  const { proposals } = get(`/cosmos/gov/v1/proposals?voter=${address}`);
  const votes = proposals!.map(({ id }) => get(`/cosmos/gov/v1/proposals/${id}/votes/${address}`).vote!);
  const { grants: given } = get(`/cosmos/authz/v1beta1/grants/granter/${address}`);
  const { grants: received } = get(`/cosmos/authz/v1beta1/grants/grantee/${address}`);
  const { allowances } = get(`/cosmos/feegrant/v1beta1/allowances/${address}`);
  const coin = (amount: string) => ({ denom, amount }) as unknown as Fields;
  const rewardOf = new Map(rewards!.map(({ validator_address: of, reward }) => [of, reward]));
  const facts = {
    account: `${base.account_number} ${base.sequence}`,
    balances: coinsText(balances),
    // The account has neither sent nor got anything: what it can spend is what has vested.
    vested: spendable === undefined ? null : coinsText(spendable.filter(({ amount }) => amount !== '0')),
    total: coinsText([coin(String(delegations!.reduce((sum, { balance }) => sum + BigInt(balance!.amount!), 0n)))]),
    delegations: delegations!.map(({ delegation, balance }) =>
      [delegation!.validator_address, coinsText([balance!]), coinsText(rewardOf.get(delegation!.validator_address!))].join(' '),
    ),
    validators: sorted(
      validators!.map(({ operator_address: of, description, tokens, commission, jailed, status }) =>
        [
          of,
          description!.moniker,
          tokens,
          Number(commission!.commission_rates!.rate) * 100,
          jailed,
          String(status) === 'BOND_STATUS_BONDED',
        ].join(' '),
      ),
    ),
    missed: delegations!.map(({ delegation }) => {
      const { start_height: start, missed_blocks_counter: missed } = signing.get(delegation!.validator_address!)!;
      return [start, missed, slashing!.signed_blocks_window].join(' ');
    }),
    unbonding: unbonding!.flatMap(({ validator_address: of, entries }) =>
      entries!.map((entry) =>
        [
          of,
          entry.creation_height,
          timeText(entry.completion_time!),
          coinsText([coin(entry.initial_balance!), coin(entry.balance!)]),
        ].join(' '),
      ),
    ),
    redelegations: moves!.flatMap(({ redelegation, entries }) =>
      entries!.map(({ redelegation_entry: entry, balance }) =>
        [
          ...[redelegation!.validator_src_address, redelegation!.validator_dst_address, entry!.creation_height],
          ...[timeText(entry!.completion_time!), coinsText([coin(balance!)])],
        ].join(' '),
      ),
    ),
    rewards: coinsText(total),
    commission: earned === undefined ? null : coinsText(earned.commission),
    withdrawAddress,
    operates: operates ? valoper : null,
    votes: proposals!.map(({ id, title, status, voting_end_time: end }, index) =>
      [id, title, status, timeText(end!), optionsText(votes[index]!.options!)].join(' '),
    ),
    given: sorted(given!.map(({ grantee, authorization }) => `${grantee} ${authorization!['@type']}`)),
    received: sorted(received!.map(({ granter, authorization }) => `${granter} ${authorization!['@type']}`)),
    fees: allowances!.map(({ granter }) => granter),
  };
  return { facts, paths };
}

async function ask(document: string, height: string, variables: Record<string, unknown> = {}) {
  return (await stack.ask(document, variables, { 'x-cosmos-block-height': height })).body;
}

/** What the page of every account takes, and what that of a delegator does. */
const common = [
  ...['auth Account', 'bank AllBalances', 'authz GranteeGrants', 'authz GranterGrants', 'feegrant Allowances', 'gov Proposals'],
  ...['staking DelegatorDelegations', 'staking DelegatorUnbondingDelegations', 'staking Params', 'staking Redelegations'],
  ...['staking Validators', 'distribution DelegationTotalRewards', 'distribution DelegatorWithdrawAddress'],
];
const signed = ['slashing Params', 'slashing SigningInfo'];

describe("an account's page in one request", () => {
  it.each([
    ['a delegator before the second validator', delegator, before, 15, signed],
    ['a delegator with votes, moves and grants', delegator, voting, 17, [...signed, 'gov Vote', 'slashing SigningInfo']],
    ['a delegator of a slashed validator', delegator, 'head', 16, [...signed, 'slashing SigningInfo']],
    ['an operator', operator, voting, 18, [...signed, 'distribution ValidatorCommission', 'gov Vote', 'gov Vote']],
    ['an account that is vesting', vesting, voting, 15, ['block']],
  ])('has of %s what the REST of the node has', async (_, address, at, byHand, own) => {
    const height = at === 'head' ? node.head : at;
    const { facts, paths } = factsOfRest(address, height);
    await withStack(async () => {
      const { data, errors } = await ask(page, height, { address });
      expect(errors).toBeUndefined();
      expect(factsOfAnswer(data)).toEqual(facts);
      expect({ byHand: paths.length, calls: queries() }).toEqual({ byHand, calls: sorted([...common, ...own]) });
      // A second request of the same height takes none, and neither does another document.
      node.calls.length = 0;
      expect((await ask(page, height, { address })).data).toEqual(data);
      await ask(
        `{ account(address: "${address}") { staking { total ${coins} delegations { nodes { rewards ${coins} } } } } }`,
        height,
      );
      expect(node.calls).toEqual([]);
    });
  });
});

const pageOfValidator = `query ($address: String!) {
  validator(address: $address) {
    moniker operatorAddress operator { address } tokens ${coins} commissionPercent jailed isBonded votingPower
    signingInfo { startHeight missedBlocks window uptimePercent jailedUntil tombstoned }
    delegations { totalCount nodes { delegator { address } balance ${coins} } }
  }
  stakingPool { bonded ${coins} notBonded ${coins} inflationPercent annualPercentage }
}`;

describe('a validator and the stake of the chain', () => {
  const [first, second] = ['34034FE6A266C8952246A0C5BFE2C7DCFE6E203E', '98F0BDE30E6A3540B9E2351CB32CF773F5F82FB5'];
  const operators = { [first]: valoper, [second]: 'wasmvaloper1qwexv7c6sm95lwhzn9027vyu2ccneaqa6we787' };
  const consensus = {
    [first]: 'wasmvalcons1xsp5le4zvmyf2gjx5rzmlck8mnlxugp7gmsyfm',
    [second]: 'wasmvalcons1nrctmccwdg65pw0zx5wtxt8hw06lsta49fkx2r',
  };

  it.each([
    ['that signs', first, before],
    ['that signs, of two', first, voting],
    ['that misses blocks', second, voting],
    ['that was jailed and slashed for it', second, 'head'],
  ])('%s is what the REST of the node has', async (_, address, at) => {
    const height = at === 'head' ? node.head : at;
    await withStack(async () => {
      const { data, errors } = await ask(pageOfValidator, height, { address });
      expect(errors).toBeUndefined();
      const rest = (path: string) => node.rest(path, height) as unknown as Fields;
      const stored = rest('/cosmos/staking/v1beta1/validators').validators!.find(
        ({ operator_address: of }) => of === operators[address],
      )!;
      const { val_signing_info: info } = rest(`/cosmos/slashing/v1beta1/signing_infos/${consensus[address]}`);
      const window = Number(rest('/cosmos/slashing/v1beta1/params').params!.signed_blocks_window);
      const { delegation_responses: delegations } = rest(
        `/cosmos/staking/v1beta1/validators/${operators[address]}/delegations`,
      );
      const { pool } = rest('/cosmos/staking/v1beta1/pool');
      const missed = Number(info!.missed_blocks_counter);
      const stake = (amount: string) => ({ denom: 'stake', amount });
      const provisions = Number(rest('/cosmos/mint/v1beta1/annual_provisions').annual_provisions);
      const tax = Number(rest('/cosmos/distribution/v1beta1/params').params!.community_tax);
      expect(data).toEqual({
        validator: {
          ...{ moniker: stored.description!.moniker, operatorAddress: operators[address], tokens: stake(stored.tokens!) },
          operator: { address: address === first ? operator : expect.stringMatching(/^wasm1qwexv7c6/) },
          commissionPercent: String(Number(stored.commission!.commission_rates!.rate) * 100),
          ...{ jailed: stored.jailed, isBonded: String(stored.status) === 'BOND_STATUS_BONDED' },
          votingPower: stored.jailed ? null : String(Math.floor(Number(stored.tokens) / 1e6)),
          signingInfo: {
            ...{ startHeight: info!.start_height, missedBlocks: String(missed), window: String(window) },
            uptimePercent: String(((window - missed) / window) * 100),
            jailedUntil: info!.jailed_until === '1970-01-01T00:00:00Z' ? null : info!.jailed_until,
            tombstoned: info!.tombstoned,
          },
          delegations: {
            totalCount: String(delegations!.length),
            nodes: delegations!.map(({ delegation, balance }) => ({
              delegator: { address: delegation!.delegator_address },
              balance: { denom: balance!.denom, amount: balance!.amount },
            })),
          },
        },
        stakingPool: {
          ...{ bonded: stake(pool!.bonded_tokens!), notBonded: stake(pool!.not_bonded_tokens!) },
          inflationPercent: expect.any(String),
          annualPercentage: expect.any(String),
        },
      });
      const { stakingPool } = data as { stakingPool: { inflationPercent: string; annualPercentage: string } };
      const inflation = rest('/cosmos/mint/v1beta1/inflation').inflation as unknown as string;
      expect(Number(stakingPool.inflationPercent)).toBeCloseTo(Number(inflation) * 100, 12);
      expect(Number(stakingPool.annualPercentage)).toBeCloseTo(
        ((provisions * (1 - tax)) / Number(pool!.bonded_tokens)) * 100,
        9,
      );
    });
  });

  it('takes a call for each fact, and none when it is asked again', async () => {
    await withStack(async () => {
      await ask(pageOfValidator, voting, { address: second });
      expect(queries()).toEqual([
        ...['distribution Params', 'mint AnnualProvisions', 'mint Inflation', 'slashing Params', 'slashing SigningInfo'],
        ...['staking Params', 'staking Pool', 'staking ValidatorDelegations', 'staking Validators', 'validators'],
      ]);
      node.calls.length = 0;
      await ask(pageOfValidator, voting, { address: second });
      expect(node.calls).toEqual([]);
    });
  });

  it('is in the list of all validators by stake, also when it is jailed', async () => {
    const list = '{ stakingPool { validators { totalCount nodes { address moniker jailed isBonded tokens { amount } } } } }';
    await withStack(async () => {
      for (const height of [voting, node.head]) {
        const { data, errors } = await ask(list, height);
        expect(errors).toBeUndefined();
        const { validators } = node.rest('/cosmos/staking/v1beta1/validators', height) as unknown as Fields;
        const stored = validators!.toSorted((a, b) => Number(b.tokens) - Number(a.tokens));
        expect(data).toEqual({
          stakingPool: {
            validators: {
              totalCount: '2',
              nodes: stored.map(({ description, jailed, status, tokens }, index) => ({
                ...{ address: [first, second][index], moniker: description!.moniker, jailed },
                ...{ isBonded: String(status) === 'BOND_STATUS_BONDED', tokens: { amount: tokens } },
              })),
            },
          },
        });
      }
      const next = '{ stakingPool { validators(first: 1, offset: 1) { nodes { moniker } pageInfo { hasNextPage } } } }';
      expect((await ask(next, node.head)).data).toEqual({
        stakingPool: { validators: { nodes: [{ moniker: 'second' }], pageInfo: { hasNextPage: false } } },
      });
    });
  });

  it('is not there before it was created', async () => {
    await withStack(async () => {
      expect((await ask(pageOfValidator, before, { address: second })).data).toMatchObject({ validator: null });
    });
  });
});

describe('a read that fails', () => {
  it.each([
    ['DelegationTotalRewards', ['rewards', 'nodes.rewards']],
    ['DelegatorUnbondingDelegations', ['unbonding']],
    ['Redelegations', ['redelegations']],
    ['DelegatorWithdrawAddress', ['withdrawAddress']],
  ])('of %s is null alone, with an error', async (method, empty) => {
    await withStack(async () => {
      node.instead = (path) =>
        path.endsWith(`/${method}`) ? { error: { code: -32603, message: 'Internal error', data: 'x' } } : undefined;
      const { data, errors } = await ask(page, voting, { address: delegator });
      node.instead = undefined;
      const { staking } = (data as { account: Fields }).account;
      const nulls = Object.entries(staking!).flatMap(([name, value]) => (value === null ? [name] : []));
      const ofNodes = staking!.delegations!.nodes!.some(({ rewards }) => rewards === null) ? ['nodes.rewards'] : [];
      expect([...nulls, ...ofNodes].filter((name) => name !== 'commission')).toEqual(empty);
      expect(errors!.length).toBeGreaterThan(0);
    });
  });
});
