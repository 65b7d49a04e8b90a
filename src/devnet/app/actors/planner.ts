import { create } from '@bufbuild/protobuf';
import { MsgSendSchema } from '../../../proto/cosmos/bank/v1beta1/tx_pb.js';
import {
  Exec,
  MsgExecSchema,
  MsgSubmitProposalSchema,
  MsgUpdateGroupPolicyMetadataSchema,
  MsgVoteSchema,
  MsgWithdrawProposalSchema,
} from '../../../proto/cosmos/group/v1/tx_pb.js';
import { type Proposal, ProposalExecutorResult, ProposalStatus, VoteOption } from '../../../proto/cosmos/group/v1/types_pb.js';
import { agendaItem, agendas, type BodyName } from '../fixtures/agenda.ts';
import { type Body, businessMessages, type Cast } from '../fixtures/fixtures.ts';
import { compare } from '../keepers/group/decimal.ts';
import { feeDenom } from '../runtime/coins.ts';
import { packAny } from '../runtime/keeper.ts';
import { mix, type Random } from '../runtime/random.ts';
import { momentOf, seconds } from '../runtime/time.ts';
import type { WalletAccount } from '../runtime/wallet.ts';
import type { ChainReader } from './chainReader.ts';
import type { Deed } from './plannedTransaction.ts';
import { type Fate, fateOf, isOverdraw, type Shortage, shortageOf } from './plans.ts';

/** Decides what the actors do. */
export interface Planner {
  /** At most `count` deeds, each of another actor and of none that is occupied, by the state that `reader` shows; `now` is the time of its block. */
  readonly deeds: (reader: ChainReader, now: bigint, count: number, occupied: ReadonlySet<WalletAccount>) => Deed[];
}

/** Everything that is known when one deed is chosen. */
interface Scene {
  readonly reader: ChainReader;
  readonly now: bigint;
  readonly free: readonly WalletAccount[];
  /** Proposals that something is done about in this block already. */
  readonly busy: ReadonlySet<bigint>;
  readonly shortage: Shortage;
  readonly proposals: Readonly<Record<BodyName, readonly Proposal[]>>;
}

const bodyNames: readonly BodyName[] = ['board', 'charter', 'treasury', 'grants', 'operations'];
const shortBodies: readonly BodyName[] = ['treasury', 'grants', 'operations'];
/** Between two submissions, so that there is time to vote. */
const breath = seconds(7);
/** Open proposals that a body wants: below the first it submits, at the second it does not. */
const wanted: Readonly<Record<BodyName, readonly [number, number]>> = {
  board: [26, 31],
  charter: [4, 5],
  treasury: [5, 8],
  grants: [5, 8],
  operations: [4, 7],
};
/** Proposals of the board, open ones and all, above which it passes whatever it can: so there is room for new ones. */
const fullBoard = { open: 28, all: 34 };
/** Proposals of the board at or below which it passes nothing, so that a page of it stays full. */
const leanBoard = 27;
const lowFunds = 10n ** 14n;
const remarks = [
  '',
  '',
  '',
  'As discussed in the call.',
  'Budgeted for.',
  'Please publish the receipts.',
  'Too early for this.',
  'No objection.',
];

/** Makes a planner. What it remembers is only how far each agenda has come and when it last submitted. */
export function createPlanner(options: {
  readonly cast: Cast;
  readonly actors: readonly WalletAccount[];
  readonly random: Random;
}): Planner {
  const { cast, actors, random } = options;
  const next: Record<BodyName, number> = { board: 32, charter: 6, treasury: 6, grants: 4, operations: 5 };
  let submittedAt = 0n;

  const open = (scene: Scene, body: BodyName): readonly Proposal[] =>
    scene.proposals[body].filter((proposal) => proposal.status === ProposalStatus.SUBMITTED);

  const membersOf = (body: Body, free: readonly WalletAccount[]): WalletAccount[] =>
    free.filter((actor) => body.members.some((member) => member.address === actor.address));

  const submit = (scene: Scene, name: BodyName, overdraw = false): Deed | undefined => {
    const body = cast.bodies[name];
    const [actor, second] = random.shuffle(membersOf(body, scene.free));
    if (actor === undefined) return undefined;
    if (overdraw) while (agendaItem(name, next[name]).business.kind !== 'overdraw') next[name] += 1;
    // What fails at the board stays for days, so enough of it was there from the beginning.
    if (name === 'board' && agendaItem(name, next[name]).business.kind === 'overdraw') next[name] += 1;
    const index = next[name];
    next[name] += 1;
    submittedAt = scene.now;
    const item = agendaItem(name, index);
    const others = random.shuffle(actors.filter((other) => other !== actor)).map((other) => other.address);
    const message = create(MsgSubmitProposalSchema, {
      groupPolicyAddress: body.policy,
      proposers: [actor.address],
      metadata: second !== undefined && index % 4 === 0 ? JSON.stringify({ title: item.title, summary: item.summary }) : '',
      messages: businessMessages(body, item.business, others, Math.floor(index / agendas[name].length) + index),
      title: item.title,
      summary: item.summary,
    });
    return { actor, message: packAny(MsgSubmitProposalSchema, message) };
  };

  /** Changing the policy of the operations desk aborts what is open there. */
  const abort = (scene: Scene): Deed | undefined => {
    if (!scene.shortage.aborted) return undefined;
    const lasting = open(scene, 'operations').filter(
      (proposal) => momentOf(proposal.votingPeriodEnd) - scene.now > seconds(420),
    );
    if (lasting.length < 2) return scene.now - submittedAt > seconds(4) ? submit(scene, 'operations') : undefined;
    const { admin } = cast.groups.operations;
    const actor = scene.free.find((free) => free.address === admin);
    if (actor === undefined) return undefined;
    const minute = new Date(Number(scene.now / 1_000_000n)).toISOString().slice(0, 16);
    const metadata = `Operations: machines and on-call, revised ${minute}Z`;
    const message = create(MsgUpdateGroupPolicyMetadataSchema, {
      admin,
      groupPolicyAddress: cast.bodies.operations.policy,
      metadata,
    });
    return { actor, message: packAny(MsgUpdateGroupPolicyMetadataSchema, message) };
  };

  const submitSomewhere = (scene: Scene): Deed | undefined => {
    if (scene.now - submittedAt < breath) return undefined;
    if (scene.shortage.accepted) return submit(scene, random.pick(shortBodies) ?? 'treasury', true);
    const lacking = bodyNames.filter((name) => open(scene, name).length < wanted[name][0]);
    const able = bodyNames.filter((name) => open(scene, name).length < wanted[name][1]);
    const name = random.pick(lacking) ?? random.pick(able);
    return name === undefined ? undefined : submit(scene, name);
  };

  const vote = (scene: Scene, body: Body, proposal: Proposal, fate: Fate): Deed | undefined => {
    const voted = new Set(scene.reader.votes(proposal.id).map((known) => known.voter));
    if (fate === 'leave' && voted.size >= mix(Number(BigInt.asUintN(31, proposal.id)) + 1) % (body.members.length + 4))
      return undefined;
    const actor = random.pick(membersOf(body, scene.free).filter(({ address }) => !voted.has(address)));
    if (actor === undefined) return undefined;
    const message = create(MsgVoteSchema, {
      proposalId: proposal.id,
      voter: actor.address,
      option: mustAgree(body, actor) ? VoteOption.YES : optionFor(fate),
      metadata: random.pick(remarks) ?? '',
      exec: fate === 'pass' && random.next() < 0.3 ? Exec.TRY : Exec.UNSPECIFIED,
    });
    return { actor, message: packAny(MsgVoteSchema, message), about: proposal.id };
  };

  /** The board's proposals stay open for days, and must still be able to pass when there are too many: only the light members dissent. */
  const mustAgree = (body: Body, actor: WalletAccount): boolean => {
    const weight = body.members.find((member) => member.address === actor.address)?.weight ?? '0';
    return body.name === 'board' && compare(weight, '2') >= 0;
  };

  const optionFor = (fate: Fate): VoteOption => {
    const draw = random.next();
    switch (fate) {
      case 'pass':
      case 'shelve':
        return draw < 0.92 ? VoteOption.YES : VoteOption.ABSTAIN;
      case 'reject':
        return draw < 0.7 ? VoteOption.NO : draw < 0.9 ? VoteOption.NO_WITH_VETO : VoteOption.ABSTAIN;
      case 'withdraw':
      case 'leave':
        return draw < 0.4 ? VoteOption.YES : draw < 0.7 ? VoteOption.NO : VoteOption.ABSTAIN;
    }
  };

  const execute = (scene: Scene, body: Body, { id: proposalId }: Proposal): Deed | undefined => {
    const actor = random.pick(membersOf(body, scene.free));
    if (actor === undefined) return undefined;
    const message = create(MsgExecSchema, { proposalId, executor: actor.address });
    return { actor, message: packAny(MsgExecSchema, message), about: proposalId };
  };

  const withdraw = (scene: Scene, proposal: Proposal): Deed | undefined => {
    // Not at once: somebody should have seen it.
    if (scene.now - momentOf(proposal.submitTime) < seconds(20)) return undefined;
    const actor = scene.free.find((free) => proposal.proposers.includes(free.address));
    if (actor === undefined) return undefined;
    const message = create(MsgWithdrawProposalSchema, { proposalId: proposal.id, address: actor.address });
    return { actor, message: packAny(MsgWithdrawProposalSchema, message), about: proposal.id };
  };

  const fateFor = (scene: Scene, name: BodyName, proposal: Proposal): Fate => {
    if (name !== 'board') return fateOf(name, proposal, scene.shortage);
    if (scene.proposals.board.length <= leanBoard) return 'leave';
    const crowded = open(scene, name).length > fullBoard.open || scene.proposals.board.length > fullBoard.all;
    return crowded ? 'pass' : fateOf(name, proposal, scene.shortage);
  };

  const bringOn = (scene: Scene, name: BodyName, proposal: Proposal): Deed | undefined => {
    const body = cast.bodies[name];
    const fate = fateFor(scene, name, proposal);
    if (fate === 'withdraw') return withdraw(scene, proposal) ?? vote(scene, body, proposal, fate);
    const { allow, final } = scene.reader.decision(proposal);
    if (fate === 'pass' && allow) return execute(scene, body, proposal);
    if (fate === 'reject' && final && !allow) return execute(scene, body, proposal);
    if (fate === 'shelve' && allow) return undefined;
    return vote(scene, body, proposal, fate);
  };

  /** Executed before its time: it can be tried again. */
  const retry = (scene: Scene): Deed | undefined => {
    const { grants } = cast.bodies;
    const early = scene.proposals.grants.find(
      (proposal) =>
        proposal.executorResult === ProposalExecutorResult.FAILURE &&
        !isOverdraw(proposal) &&
        !scene.busy.has(proposal.id) &&
        scene.now - momentOf(proposal.submitTime) > seconds(45),
    );
    return early === undefined || scene.shortage.accepted ? undefined : execute(scene, grants, early);
  };

  const progress = (scene: Scene): Deed | undefined => {
    const all = bodyNames.flatMap((name) => open(scene, name).map((proposal) => ({ name, proposal })));
    const lively = all.filter(
      ({ proposal }) => !scene.busy.has(proposal.id) && momentOf(proposal.votingPeriodEnd) - scene.now > seconds(5),
    );
    // The newest get most of the attention.
    const newest = lively.sort((a, b) => (a.proposal.id < b.proposal.id ? 1 : -1)).slice(0, 12);
    const looked = [...random.shuffle(newest).slice(0, 8), ...random.shuffle(lively).slice(0, 8)];
    for (const { name, proposal } of looked) {
      const deed = bringOn(scene, name, proposal);
      if (deed !== undefined) return deed;
    }
    return undefined;
  };

  const pay = (scene: Scene): Deed | undefined => {
    const actor = random.pick(scene.free);
    if (actor === undefined) return undefined;
    const poor = bodyNames.map((name) => cast.bodies[name].policy).find((policy) => scene.reader.balance(policy) < lowFunds);
    const friend = random.pick(actors.filter((other) => other !== actor));
    const amount = poor === undefined ? BigInt(1 + random.below(40)) * 25_000_000n : lowFunds;
    const message = create(MsgSendSchema, {
      fromAddress: actor.address,
      toAddress: poor ?? friend?.address ?? actor.address,
      amount: [{ denom: feeDenom, amount: String(amount) }],
    });
    return { actor, message: packAny(MsgSendSchema, message) };
  };

  const oneDeed = (scene: Scene): Deed | undefined => {
    const tries = [abort, submitSomewhere, retry, random.next() < 0.06 ? pay : progress, random.next() < 0.6 ? pay : progress];
    for (const attempt of tries) {
      const deed = attempt(scene);
      if (deed !== undefined) return deed;
    }
    return undefined;
  };

  return {
    deeds(reader, now, count, occupied) {
      const proposals: Record<BodyName, readonly Proposal[]> = {
        board: [],
        charter: [],
        treasury: [],
        grants: [],
        operations: [],
      };
      for (const name of bodyNames) proposals[name] = reader.proposals(cast.bodies[name].policy);
      const shortage = shortageOf(
        shortBodies.flatMap((name) => proposals[name]),
        now,
      );
      const chosen: Deed[] = [];
      const touched = new Set(occupied);
      const busy = new Set<bigint>();
      for (let index = 0; index < count; index += 1) {
        const free = actors.filter((actor) => !touched.has(actor));
        const deed = oneDeed({ reader, now, free, busy, shortage, proposals });
        if (deed === undefined) break;
        touched.add(deed.actor);
        if (deed.about !== undefined) busy.add(deed.about);
        chosen.push(deed);
      }
      return chosen;
    },
  };
}
