import type { Any } from '@bufbuild/protobuf/wkt';
import { MsgCommunityPoolSpendSchema } from '../../../../../src/proto/cosmos/distribution/v1beta1/tx_pb.js';
import { VoteOption } from '../../../../../src/proto/cosmos/gov/v1/gov_pb.js';
import {
  MsgDepositSchema,
  MsgSubmitProposalSchema,
  MsgVoteSchema,
  MsgVoteWeightedSchema,
} from '../../../../../src/proto/cosmos/gov/v1/tx_pb.js';
import type { Fixtures } from '../fixtures/fixtures.ts';
import { votingSeconds } from '../keepers/gov/params.ts';
import { govAddress } from '../keepers/gov/state.ts';
import { feeDenom } from '../runtime/coins.ts';
import type { HistoryStep, Holdings } from '../runtime/genesisState.ts';
import type { Operators } from './stake.ts';
import { toAny } from './step.ts';

const { YES, NO, ABSTAIN, NO_WITH_VETO } = VoteOption;
const hash = 1_000_000_000n;
const [hour, day] = [3600, 24 * 3600];
/** The coins of the community pool. */
export const communityPool = 25_000n * hash;
const coins = (amount: bigint) => [{ denom: feeDenom, amount: String(amount * hash) }];

/** The deposit that is burned after a veto. */
export const burnedDeposit = 1_000n * hash;

/** A vote: one option, or several with weights. */
type Choice = VoteOption | readonly (readonly [option: VoteOption, weight: string])[];

/** A proposal of x/gov in the genesis. */
interface Plan {
  readonly title: string;
  readonly summary: string;
  readonly proposer: string;
  readonly secondsBefore: number;
  /** In hash. It is paid by an account that has no private key. */
  readonly deposits: readonly bigint[];
  readonly messages?: readonly Any[];
  readonly expedited?: boolean;
  readonly votes?: readonly (readonly [voter: string, choice: Choice])[];
}

/** The accounts that pay deposits. They have no private keys. */
function depositorsOf({ groups }: Fixtures): readonly string[] {
  return groups.assembly.members.slice(10, 13).map(({ address }) => address);
}

/** The coins of the accounts that pay deposits. */
export function depositorBalances(fixtures: Fixtures): Holdings[] {
  return depositorsOf(fixtures).map((address) => ({ address, coins: [{ denom: feeDenom, amount: 30_000n * hash }] }));
}

function plans({ harbor, meadow, quarry }: Operators, addresses: readonly string[]): readonly Plan[] {
  const at = (index: number): string => addresses[index] ?? '';
  const spend = (to: string, amount: bigint) =>
    toAny(MsgCommunityPoolSpendSchema, { authority: govAddress, recipient: to, amount: coins(amount) });
  return [
    {
      title: 'Keep the voting period at five days',
      summary: 'Three days were proposed in the forum. Delegators asked for a weekend in every vote.',
      proposer: at(1),
      secondsBefore: 12 * day,
      deposits: [1_000n],
      votes: [
        [harbor, YES],
        [quarry, YES],
        [at(3), ABSTAIN],
        [meadow, NO],
      ],
    },
    {
      title: 'Double the size of the validator set',
      summary: 'Two hundred seats instead of one hundred, with the same minimum stake.',
      proposer: at(4),
      secondsBefore: 11 * day,
      deposits: [400n, 600n],
      votes: [
        [harbor, NO],
        [quarry, YES],
        [meadow, NO],
        [at(0), YES],
      ],
    },
    {
      title: 'Pay the relay operators for the year',
      summary: 'Ten relays at cost, from the community pool. It does not hold that much.',
      proposer: at(2),
      secondsBefore: 10 * day,
      deposits: [1_000n],
      messages: [spend(at(3), 1n), spend(at(4), 900_000_000n)],
      votes: [
        [harbor, YES],
        [quarry, YES],
        [meadow, YES],
      ],
    },
    {
      title: 'Sell the name of the chain',
      summary: 'An offer that nobody asked for.',
      proposer: at(6),
      secondsBefore: 9 * day,
      deposits: [burnedDeposit / hash],
      votes: [
        [harbor, NO_WITH_VETO],
        [quarry, NO_WITH_VETO],
        [meadow, NO],
      ],
    },
    {
      title: 'Publish block explorers for every region',
      summary: 'Grants for three teams, paid in two steps after a review of the code.',
      proposer: at(8),
      secondsBefore: 4 * day,
      deposits: [250n, 750n],
      messages: [spend(at(3), 500n)],
      votes: [
        [harbor, YES],
        [at(0), NO],
        [
          at(2),
          [
            [YES, '0.6'],
            [ABSTAIN, '0.4'],
          ],
        ],
        [at(6), YES],
      ],
    },
    {
      title: 'Raise the minimum commission to five percent',
      summary: 'Validators that charge nothing live on other income. Delegators pay for that in the end.',
      proposer: at(3),
      // Its vote closes ten minutes after the first block.
      secondsBefore: votingSeconds.regular - 600,
      deposits: [1_000n],
      votes: [
        [quarry, YES],
        [harbor, NO],
        [at(3), YES],
        [at(0), YES],
      ],
    },
    {
      title: 'Patch the halted relay at once',
      summary: 'A fix that should not wait for five days. Without a majority of two thirds it becomes a regular proposal.',
      proposer: at(1),
      secondsBefore: 2 * day,
      deposits: [5_000n],
      expedited: true,
      votes: [
        [harbor, YES],
        [meadow, NO],
      ],
    },
    {
      title: 'Rotate the keys of the faucet',
      summary: 'The old key was on a laptop that was lost. No funds are missing.',
      proposer: at(4),
      secondsBefore: 6 * hour,
      deposits: [5_000n],
      expedited: true,
      votes: [[quarry, YES]],
    },
    {
      title: 'Translate the documentation',
      summary: 'Five languages, each with a reviewer. It waits for its deposit.',
      proposer: at(8),
      secondsBefore: day,
      deposits: [300n],
    },
  ];
}

function voteMessage(proposalId: bigint, voter: string, choice: Choice): Any {
  if (typeof choice === 'number') return toAny(MsgVoteSchema, { proposalId, voter, option: choice });
  const options = choice.map(([option, weight]) => ({ option, weight }));
  return toAny(MsgVoteWeightedSchema, { proposalId, voter, options });
}

/**
 * Creates the proposals of x/gov: one that passed, one that was rejected, one that failed, one with burned deposits, four that are voted on, of which one was
 * expedited before, and one that waits for its deposit. `meadow`, which account 9 operates, has not voted on most of those that are open.
 */
export function governanceSteps(fixtures: Fixtures, operators: Operators, addresses: readonly string[]): HistoryStep[] {
  const depositors = depositorsOf(fixtures);
  const ordered = [...plans(operators, addresses)].sort((a, b) => b.secondsBefore - a.secondsBefore);
  return ordered.flatMap((plan, index) => {
    const { title, summary, proposer, secondsBefore, messages = [], expedited = false, deposits, votes = [] } = plan;
    const proposalId = BigInt(index + 1);
    const metadata = `ipfs://proposal-${proposalId}`;
    const submission = { title, summary, proposer, messages: [...messages], expedited, metadata };
    return [
      { secondsBefore, message: toAny(MsgSubmitProposalSchema, submission) },
      ...deposits.map((amount, order) => ({
        secondsBefore,
        message: toAny(MsgDepositSchema, { proposalId, depositor: depositors[order] ?? '', amount: coins(amount) }),
      })),
      ...votes.map(([voter, choice], order) => ({
        secondsBefore: secondsBefore - hour - order * 600,
        message: voteMessage(proposalId, voter, choice),
      })),
    ];
  });
}
