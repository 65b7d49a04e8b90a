import { create } from '@bufbuild/protobuf';
import type { Any } from '@bufbuild/protobuf/wkt';
import { MsgSendSchema } from '../../../proto/cosmos/bank/v1beta1/tx_pb.js';
import { MsgUpdateGroupMembersSchema, MsgUpdateGroupMetadataSchema } from '../../../proto/cosmos/group/v1/tx_pb.js';
import { PercentageDecisionPolicySchema, ThresholdDecisionPolicySchema } from '../../../proto/cosmos/group/v1/types_pb.js';
import { derivedAddress, encodeAddress, moduleAddress } from '../address.ts';
import { feeDenom } from '../coins.ts';
import { packAny } from '../keeper.ts';
import { bytesOf, u64Key } from '../state/bytes.ts';
import { durationOf, seconds } from '../time.ts';
import type { WalletAccount } from '../wallet.ts';
import type { BodyName, Business } from './agenda.ts';

/** A member of a group of the devnet, by address. */
export interface BodyMember {
  readonly address: string;
  readonly weight: string;
  readonly metadata: string;
}

/** A policy of the devnet's genesis with what belongs to it. Ids and addresses follow from the order of creation. */
export interface Body {
  readonly name: BodyName;
  readonly groupId: bigint;
  readonly policy: string;
  readonly decision: Any;
  readonly votingSeconds: number;
  readonly members: readonly BodyMember[];
  readonly metadata: string;
}

/** A group of the devnet's genesis. */
export interface BodyGroup {
  readonly id: bigint;
  readonly metadata: string;
  readonly admin: string;
  readonly members: readonly BodyMember[];
}

/** Everybody and everything that the devnet's genesis speaks of. */
export interface Cast {
  /** Pays the treasuries in before the first block; nobody has its key. */
  readonly foundation: string;
  readonly groups: {
    readonly assembly: BodyGroup;
    readonly council: BodyGroup;
    readonly grants: BodyGroup;
    readonly operations: BodyGroup;
  };
  readonly bodies: Readonly<Record<BodyName, Body>>;
}

const names = ['ada', 'ben', 'chi', 'dora', 'eli', 'fay', 'gus', 'hana', 'ivo', 'june'];
const delegates = ['amara', 'bao', 'cleo', 'dmitri', 'esther', 'farid', 'greta', 'hugo', 'ines', 'jonas'];
const day = 24 * 3600;

/** The address of the `number`-th policy that a chain makes, from 1. */
export function policyAddress(number: bigint): string {
  return encodeAddress(derivedAddress('group', [Uint8Array.of(0x20), bytesOf(u64Key(number))]));
}

function windows(votingSeconds: number, minExecutionSeconds = 0) {
  return { votingPeriod: durationOf(seconds(votingSeconds)), minExecutionPeriod: durationOf(seconds(minExecutionSeconds)) };
}

function percentage(value: string, votingSeconds: number, minExecutionSeconds = 0): Any {
  const policy = { percentage: value, windows: windows(votingSeconds, minExecutionSeconds) };
  return packAny(PercentageDecisionPolicySchema, create(PercentageDecisionPolicySchema, policy));
}

function threshold(value: string, votingSeconds: number): Any {
  const policy = { threshold: value, windows: windows(votingSeconds) };
  return packAny(ThresholdDecisionPolicySchema, create(ThresholdDecisionPolicySchema, policy));
}

/** The groups and policies of the devnet: always the same. `accounts` are the first ten of the wallet. */
export function createCast(accounts: readonly WalletAccount[]): Cast {
  const member = (index: number, weight: string): BodyMember => ({
    address: accounts[index]?.address ?? '',
    weight,
    metadata: names[index] ?? '',
  });
  const founders = ['5', '3', '2.5', '2.5', '2', '2', '1.5', '1.5', '1', '1'].map((weight, index) => member(index, weight));
  const others = delegates.map((name) => ({
    address: encodeAddress(moduleAddress(`delegate/${name}`)),
    weight: '1',
    metadata: name,
  }));
  const admin = (index: number): string => accounts[index]?.address ?? '';
  const groups = {
    assembly: { id: 1n, metadata: 'Assembly', admin: admin(0), members: [...founders, ...others] },
    council: {
      id: 2n,
      metadata: 'Treasury council',
      admin: admin(1),
      members: ['2.5', '2', '1.5', '1.25', '0.75'].map((weight, index) => member(index, weight)),
    },
    grants: {
      id: 3n,
      metadata: 'Grants committee',
      admin: admin(2),
      members: [2, 3, 4, 5, 6, 7].map((index) => member(index, '1')),
    },
    operations: {
      id: 4n,
      metadata: 'Operations desk',
      admin: admin(4),
      members: [4, 5, 6, 7].map((index) => member(index, '1')),
    },
  };
  const body = (
    name: BodyName,
    number: bigint,
    group: BodyGroup,
    decision: Any,
    votingSeconds: number,
    metadata: string,
  ): Body => ({
    name,
    groupId: group.id,
    policy: policyAddress(number),
    decision,
    votingSeconds,
    members: group.members,
    metadata,
  });
  const { assembly, council } = groups;
  return {
    foundation: encodeAddress(moduleAddress('foundation')),
    groups,
    bodies: {
      board: body('board', 1n, assembly, percentage('0.5', 7 * day), 7 * day, 'The board'),
      charter: body('charter', 2n, assembly, percentage('0.667', 14 * day), 14 * day, 'Charter and elections'),
      treasury: body('treasury', 3n, council, threshold('4.5', 600), 600, 'Treasury'),
      // The least wait before execution shows what executing too early does.
      grants: body('grants', 4n, groups.grants, percentage('0.5', 480, 30), 480, 'Grants'),
      operations: body('operations', 5n, groups.operations, threshold('3', 900), 900, 'Operations'),
    },
  };
}

/** The messages of a proposal: what `business` means for the policy of `body`. `payees` get the money, in turn. */
export function businessMessages(body: Body, business: Business, payees: readonly string[], round: number): Any[] {
  const send = (to: string | undefined, hash: bigint): Any => {
    const amount = [{ denom: feeDenom, amount: String(hash * 1_000_000_000n) }];
    const message = create(MsgSendSchema, { fromAddress: body.policy, toAddress: to ?? body.policy, amount });
    return packAny(MsgSendSchema, message);
  };
  const [first, second] = payees;
  switch (business.kind) {
    case 'pay':
      return [send(first, BigInt(business.hash))];
    case 'split':
      return [send(first, BigInt(business.hash)), send(second, BigInt(business.hash))];
    case 'overdraw':
      return [send(first, 1n), send(second, 1_000_000_000n)];
    case 'metadata': {
      const update = { admin: body.policy, groupId: body.groupId, metadata: `${groupTitle(body)}, notes of round ${round}` };
      return [packAny(MsgUpdateGroupMetadataSchema, create(MsgUpdateGroupMetadataSchema, update))];
    }
    case 'weight': {
      const [chosen] = body.members.slice(-1);
      const weight = round % 2 === 0 ? '1' : '1.5';
      const memberUpdates = chosen === undefined ? [] : [{ address: chosen.address, weight, metadata: chosen.metadata }];
      const update = { admin: body.policy, groupId: body.groupId, memberUpdates };
      return [packAny(MsgUpdateGroupMembersSchema, create(MsgUpdateGroupMembersSchema, update))];
    }
  }
}

function groupTitle(body: Body): string {
  return body.name === 'charter' || body.name === 'board' ? 'Assembly' : body.metadata;
}
