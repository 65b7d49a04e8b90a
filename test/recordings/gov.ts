import { fromBinary } from '@bufbuild/protobuf';
import { bech32 } from '@scure/base';
import { type BondedValidator, type Delegation, type GovVote, govOptions, type TallyInput } from '../../src/modules/gov/tally.ts';
import { decOf } from '../../src/reads/decimal.ts';
import type { Proposal, TallyResult, Vote } from '../../src/proto/cosmos/gov/v1/gov_pb.js';
import {
  QueryProposalResponseSchema,
  QueryTallyResultResponseSchema,
  QueryVotesResponseSchema,
} from '../../src/proto/cosmos/gov/v1/query_pb.js';
import {
  QueryDelegatorDelegationsResponseSchema,
  QueryValidatorsResponseSchema,
} from '../../src/proto/cosmos/staking/v1beta1/query_pb.js';
import { recording } from './recording.ts';

interface Answer {
  readonly path: string;
  /** The request in hex. */
  readonly data: string;
  readonly code?: number;
  readonly log?: string;
  readonly value: string | null;
}

/** One of gov-state.json and late-state.json: what the node answered at each height. */
export interface GovRecording {
  readonly state: Readonly<Record<string, Readonly<Record<string, Answer>>>>;
  /** The final tallies: the proposal, the height of the block that decided it, and the stored tally. */
  readonly finals: readonly {
    readonly id: number;
    readonly H: number;
    readonly result: string;
    readonly final: Readonly<Record<'yes' | 'abstain' | 'no' | 'veto', string>>;
  }[];
}

/** The blocks of a recording: the results of `block` and `block_results`. */
export interface GovBlocks {
  readonly blocks: readonly {
    readonly height: number;
    readonly block_results: { readonly txs_results: readonly { readonly code: number; readonly events: readonly EventRow[] }[] | null };
  }[];
}

interface EventRow {
  readonly type: string;
  readonly attributes: readonly { readonly key: string; readonly value: string }[];
}

export const govRecordings = ['gov', 'late'] as const;

export const govState = (name: (typeof govRecordings)[number]): GovRecording => recording(`${name}-state`);
export const govBlocks = (name: (typeof govRecordings)[number]): GovBlocks => recording(`${name}-blocks`);

const bytesOf = ({ value }: Answer): Uint8Array => Buffer.from(value ?? '', 'base64');

const optionOf = (option: number) => govOptions[option - 1]!;

function voteOf({ voter, options }: Vote): GovVote {
  return { voter, options: options.map(({ option, weight }) => ({ option: optionOf(option), weight: decOf(weight) })) };
}

/** The state of the recorded chain at a height. */
export function stateAt({ state }: GovRecording, height: string) {
  const answers = state[height]!;
  const find = (name: string): Uint8Array | undefined => {
    const answer = answers[name];
    return answer === undefined || (answer.code ?? 0) !== 0 ? undefined : bytesOf(answer);
  };
  const validators = fromBinary(QueryValidatorsResponseSchema, find('bonded validators') ?? new Uint8Array()).validators.map(
    (each): BondedValidator => {
      const { words } = bech32.decode(each.operatorAddress as `${string}1${string}`);
      return {
        operator: each.operatorAddress,
        account: bech32.encode('tp', words),
        tokens: BigInt(each.tokens),
        shares: BigInt(each.delegatorShares),
      };
    },
  );
  return {
    ids: Object.keys(answers).flatMap((name) => /^proposal (\d+)$/.exec(name)?.[1] ?? []),
    proposal(id: string): Proposal | undefined {
      const bytes = find(`proposal ${id}`);
      return bytes && fromBinary(QueryProposalResponseSchema, bytes).proposal;
    },
    votes: (id: string): readonly GovVote[] => fromBinary(QueryVotesResponseSchema, find(`votes ${id}`)!).votes.map(voteOf),
    tally(id: string): TallyResult | undefined {
      const bytes = find(`tally ${id}`);
      return bytes && fromBinary(QueryTallyResultResponseSchema, bytes).tally;
    },
    validators,
    delegations(voter: string): readonly Delegation[] {
      const { delegationResponses } = fromBinary(QueryDelegatorDelegationsResponseSchema, find(`delegations of ${voter}`)!);
      return delegationResponses.map(({ delegation }) => ({
        operator: delegation!.validatorAddress,
        shares: BigInt(delegation!.shares),
      }));
    },
  };
}

/** The votes in the successful transactions of a block, by proposal, in their order. */
export function votesInBlock({ blocks }: GovBlocks, height: number): readonly (GovVote & { readonly id: string })[] {
  const block = blocks.find((each) => each.height === height);
  return (block?.block_results.txs_results ?? [])
    .filter(({ code }) => code === 0)
    .flatMap(({ events }) => events.filter(({ type }) => type === 'proposal_vote'))
    .map(({ attributes }) => {
      const { voter = '', option = '', proposal_id: id = '' } = Object.fromEntries(attributes.map(({ key, value }) => [key, value]));
      const options = JSON.parse(option) as { readonly option: number; readonly weight: string }[];
      return { id, voter, options: options.map((each) => ({ option: optionOf(each.option), weight: decOf(each.weight) })) };
    });
}

/** What the tally of a proposal in the voting period is computed from. */
export function liveInput(recorded: GovRecording, height: string, id: string): TallyInput {
  const state = stateAt(recorded, height);
  return { votes: state.votes(id), validators: state.validators, delegations: state.delegations };
}

/** What a final tally is computed from: the votes before the block and those in it, with the stake after it. */
export function finalInput(recorded: GovRecording, blocks: GovBlocks, height: number, id: string): TallyInput {
  const votes = new Map(stateAt(recorded, String(height - 1)).votes(id).map((vote) => [vote.voter, vote]));
  for (const vote of votesInBlock(blocks, height)) if (vote.id === id) votes.set(vote.voter, vote);
  const { validators, delegations } = stateAt(recorded, String(height));
  return { votes: [...votes.values()], validators, delegations };
}
