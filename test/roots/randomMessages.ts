import { type Any, timestampFromMs } from '@bufbuild/protobuf/wkt';
import { policyAddress } from '../../packages/devnet/src/app/fixtures/fixtures.ts';
import { addressOfUuid, encodeMetadataAddress } from '../../packages/devnet/src/app/runtime/metadataAddress.ts';
import type { Random } from '../../packages/devnet/src/app/runtime/random.ts';
import type { WalletAccount } from '../../packages/devnet/src/app/runtime/wallet.ts';
import { contractMessage, contracts } from '../../packages/devnet/src/app/world/contracts.ts';
import { MsgSendSchema } from '../../src/proto/cosmos/bank/v1beta1/tx_pb.js';
import { BasicAllowanceSchema, PeriodicAllowanceSchema } from '../../src/proto/cosmos/feegrant/v1beta1/feegrant_pb.js';
import { MsgGrantAllowanceSchema, MsgRevokeAllowanceSchema } from '../../src/proto/cosmos/feegrant/v1beta1/tx_pb.js';
import * as group from '../../src/proto/cosmos/group/v1/tx_pb.js';
import { type Proposal, ThresholdDecisionPolicySchema } from '../../src/proto/cosmos/group/v1/types_pb.js';
import { MsgExecuteContractSchema } from '../../src/proto/cosmwasm/wasm/v1/tx_pb.js';
import { AttributeType } from '../../src/proto/provenance/attribute/v1/attribute_pb.js';
import * as attribute from '../../src/proto/provenance/attribute/v1/tx_pb.js';
import { Access } from '../../src/proto/provenance/marker/v1/accessgrant_pb.js';
import { MarkerStatus, MarkerType } from '../../src/proto/provenance/marker/v1/marker_pb.js';
import * as marker from '../../src/proto/provenance/marker/v1/tx_pb.js';
import { PartyType } from '../../src/proto/provenance/metadata/v1/specification_pb.js';
import * as metadata from '../../src/proto/provenance/metadata/v1/tx_pb.js';
import * as name from '../../src/proto/provenance/name/v1/tx_pb.js';
import { any } from '../support/chain.ts';

/** The root name of the random transactions, which is bound to their first account. */
export const openName = 'open';
/** The labels that they bind under it. */
export const labels = ['blue', 'green', 'amber'];
/** The denominations of their markers. */
export const denoms = ['lifecoin', 'lifegold', 'lifebond'];
/** The number of the first policy that they create: the genesis has five. */
const firstPolicy = 6n;
/** The policies that they create. Some may not exist yet. */
export const policies: readonly string[] = [0n, 1n, 2n].map((index) => policyAddress(firstPolicy + index));
/** The groups that they create: the genesis has four. */
export const groupIds: readonly bigint[] = [5n, 6n, 7n];

const uuid = (index: number): string => `${'abc'[index]!.repeat(8)}-2222-4333-8444-555555555555`;
const scopeIds = [0, 1, 2].map((index) => addressOfUuid('scope', uuid(index)));
const specId = addressOfUuid('scopespec', uuid(0));
/** The scopes that they write. */
export const scopes: readonly string[] = scopeIds.map(encodeMetadataAddress);

const permissions = [
  ...[Access.MINT, Access.BURN, Access.DEPOSIT, Access.WITHDRAW, Access.DELETE, Access.ADMIN],
  ...[Access.TRANSFER, Access.FORCE_TRANSFER],
];

/** What a message is made of. */
export interface MessageContext {
  readonly random: Random;
  /** The sender, which owns the names, markers, scopes and groups. */
  readonly owner: WalletAccount;
  /** The other account that sends random transactions. */
  readonly other: WalletAccount;
  /** All accounts of the chain. */
  readonly people: readonly WalletAccount[];
  /** The time of the newest block, in nanoseconds since 1970. */
  readonly now: bigint;
  /** The proposals of a policy. */
  readonly proposals: (policy: string) => readonly Proposal[];
}

/** Makes a message of one module. It may be invalid: objects may not exist, or exist already. */
type MakeMessage = (context: MessageContext) => Any;

const coin = (denom: string, amount: number): { denom: string; amount: string } => ({ denom, amount: String(amount) });

/** A time of 3 to 250 seconds after the newest block. */
function soon({ random, now }: MessageContext): ReturnType<typeof timestampFromMs> {
  return timestampFromMs(Number(now / 1_000_000n) + 3000 + random.below(247_000));
}

const nameOf = ({ random }: MessageContext): string => `${random.pick(labels)!}.${openName}`;
const values = ['one', 'two', 'three'].map((value) => new Uint8Array(Buffer.from(value)));

function attributeMessage(context: MessageContext): Any {
  const { random, owner, people } = context;
  const subject = {
    name: nameOf(context),
    account: random.pick([...people.slice(0, 3), owner])!.address,
    owner: owner.address,
  };
  const [value, other] = random.shuffle(values) as [Uint8Array, Uint8Array];
  const expires = random.below(3) > 0 ? { expirationDate: soon(context) } : {};
  const types = { originalAttributeType: AttributeType.STRING, updateAttributeType: AttributeType.BYTES };
  switch (random.below(10)) {
    case 0:
      return any(attribute.MsgDeleteAttributeRequestSchema, subject);
    case 1:
      return any(attribute.MsgDeleteDistinctAttributeRequestSchema, { ...subject, value });
    case 2:
      return any(attribute.MsgUpdateAttributeRequestSchema, { ...subject, originalValue: value, updateValue: other, ...types });
    case 3:
      return any(attribute.MsgUpdateAttributeExpirationRequestSchema, { ...subject, value, ...expires });
    case 4:
      return any(attribute.MsgSetAccountDataRequestSchema, { account: owner.address, value: `note ${random.below(9)}` });
    default:
      return any(attribute.MsgAddAttributeRequestSchema, {
        ...subject,
        value,
        attributeType: AttributeType.STRING,
        ...expires,
      });
  }
}

function nameMessage(context: MessageContext): Any {
  const { random, owner, other } = context;
  const label = random.pick(labels)!;
  const address = random.below(4) === 0 ? other.address : owner.address;
  const restricted = random.below(2) === 0;
  switch (random.below(6)) {
    case 0:
      return any(name.MsgDeleteNameRequestSchema, { record: { name: `${label}.${openName}`, address: owner.address } });
    case 1:
    case 2:
      return any(name.MsgModifyNameRequestSchema, {
        authority: owner.address,
        record: { name: `${label}.${openName}`, address, restricted },
      });
    default:
      return any(name.MsgBindNameRequestSchema, {
        parent: { name: openName, address: owner.address },
        record: { name: label, address: owner.address, restricted },
      });
  }
}

const markerMessages: readonly MakeMessage[] = [
  ({ random, owner: { address } }) =>
    any(marker.MsgAddFinalizeActivateMarkerRequestSchema, {
      amount: coin(random.pick(denoms)!, 1000),
      fromAddress: address,
      accessList: [{ address, permissions }],
      markerType: MarkerType.RESTRICTED,
      allowForcedTransfer: true,
    }),
  ({ random, owner: { address } }) =>
    any(marker.MsgAddMarkerRequestSchema, {
      amount: coin(random.pick(denoms)!, 500),
      fromAddress: address,
      manager: address,
      status: MarkerStatus.PROPOSED,
      accessList: [{ address, permissions: permissions.slice(0, 6) }],
      markerType: MarkerType.COIN,
    }),
  ...[
    marker.MsgFinalizeRequestSchema,
    marker.MsgActivateRequestSchema,
    marker.MsgCancelRequestSchema,
    marker.MsgDeleteRequestSchema,
  ].map(
    (schema): MakeMessage =>
      ({ random, owner }) =>
        any(schema, { denom: random.pick(denoms)!, administrator: owner.address }),
  ),
  ({ random, owner }) =>
    any(marker.MsgMintRequestSchema, { amount: coin(random.pick(denoms)!, 10), administrator: owner.address }),
  ({ random, owner }) =>
    any(marker.MsgBurnRequestSchema, { amount: coin(random.pick(denoms)!, 5), administrator: owner.address }),
  ...[0, 1].map(
    (): MakeMessage =>
      ({ random, owner, people }) => {
        const denom = random.pick(denoms)!;
        const toAddress = random.pick(people)!.address;
        const amount = [coin(denom, 1 + random.below(20))];
        return any(marker.MsgWithdrawRequestSchema, { denom, administrator: owner.address, toAddress, amount });
      },
  ),
  ({ random, owner, people }) =>
    any(marker.MsgTransferRequestSchema, {
      amount: coin(random.pick(denoms)!, 1),
      administrator: owner.address,
      fromAddress: random.pick(people)!.address,
      toAddress: random.pick(people)!.address,
    }),
  ({ random, owner, other }) =>
    any(marker.MsgAddAccessRequestSchema, {
      denom: random.pick(denoms)!,
      administrator: owner.address,
      access: [{ address: other.address, permissions: [random.pick(permissions.slice(0, 4))!] }],
    }),
  ({ random, owner, other }) =>
    any(marker.MsgDeleteAccessRequestSchema, {
      denom: random.pick(denoms)!,
      administrator: owner.address,
      removedAddress: other.address,
    }),
  ({ random, owner }) => {
    const denom = random.pick(denoms)!;
    const denomUnits = [
      { denom, exponent: 0 },
      { denom: `big${denom}`, exponent: 1 + random.below(6) },
    ];
    const description = `Described ${random.below(9)}`;
    return any(marker.MsgSetDenomMetadataRequestSchema, {
      administrator: owner.address,
      metadata: { base: denom, display: `big${denom}`, name: denom, symbol: 'LIFE', description, denomUnits },
    });
  },
  ({ random, owner }) =>
    any(marker.MsgAddNetAssetValuesRequestSchema, {
      denom: random.pick(denoms)!,
      administrator: owner.address,
      netAssetValues: [{ price: coin('usd', 1 + random.below(999)), volume: 1n }],
    }),
  ({ random, owner }) =>
    any(marker.MsgUpdateRequiredAttributesRequestSchema, {
      denom: random.pick(denoms)!,
      transferAuthority: owner.address,
      [random.pick(['addRequiredAttributes', 'removeRequiredAttributes'])!]: [`blue.${openName}`],
    }),
  ({ random, owner, other }) =>
    any(marker.MsgGrantAllowanceRequestSchema, {
      denom: random.pick(denoms)!,
      administrator: owner.address,
      grantee: other.address,
      allowance: any(BasicAllowanceSchema, { spendLimit: [coin('nhash', 1 + random.below(9))] }),
    }),
  ({ random, owner }) =>
    any(marker.MsgSetAccountDataRequestSchema, {
      denom: random.pick(denoms)!,
      value: `data ${random.below(9)}`,
      signer: owner.address,
    }),
];

const metadataMessages: readonly MakeMessage[] = [
  ({ owner, random }) =>
    any(metadata.MsgWriteScopeSpecificationRequestSchema, {
      specification: {
        specificationId: specId,
        ownerAddresses: [owner.address],
        partiesInvolved: [PartyType.OWNER],
        description: { name: `spec ${random.below(5)}` },
      },
      signers: [owner.address],
    }),
  ...[0, 1].map(
    (): MakeMessage =>
      ({ owner, random, people }) =>
        any(metadata.MsgWriteScopeRequestSchema, {
          scope: {
            scopeId: random.pick(scopeIds)!,
            specificationId: specId,
            owners: [{ address: owner.address, role: PartyType.OWNER }],
            dataAccess: people.slice(0, random.below(3)).map(({ address }) => address),
            valueOwnerAddress: owner.address,
          },
          signers: [owner.address],
          usdMills: BigInt(random.below(5)),
        }),
  ),
  ({ owner, random }) =>
    any(metadata.MsgDeleteScopeRequestSchema, { scopeId: random.pick(scopeIds)!, signers: [owner.address] }),
  ...[metadata.MsgAddScopeDataAccessRequestSchema, metadata.MsgDeleteScopeDataAccessRequestSchema].map(
    (schema): MakeMessage =>
      ({ owner, random, people }) => {
        const dataAccess = [random.pick(people)!.address];
        return any(schema, { scopeId: random.pick(scopeIds)!, dataAccess, signers: [owner.address] });
      },
  ),
  ({ owner, other, random }) =>
    any(metadata.MsgUpdateValueOwnersRequestSchema, {
      scopeIds: [random.pick(scopeIds)!],
      valueOwnerAddress: random.pick([owner, other])!.address,
      signers: [owner.address],
    }),
  ({ owner, random }) =>
    any(metadata.MsgAddNetAssetValuesRequestSchema, {
      scopeId: random.pick(scopes)!,
      signers: [owner.address],
      netAssetValues: [{ price: coin('usd', 1 + random.below(999)), volume: 1n }],
    }),
  ({ owner, random }) =>
    any(metadata.MsgSetAccountDataRequestSchema, {
      metadataAddr: random.pick(scopeIds)!,
      value: `scope note ${random.below(9)}`,
      signers: [owner.address],
    }),
];

/** The coin of a scope moves to another account, so that its value owner changes without a change of the scope. */
const sellScope: MakeMessage = ({ random, owner, other }) => {
  const amount = [coin(`nft/${random.pick(scopes)!}`, 1)];
  return any(MsgSendSchema, { fromAddress: owner.address, toAddress: other.address, amount });
};

function feegrantMessage(context: MessageContext): Any {
  const { random, owner, people } = context;
  const [granter, grantee] = [owner.address, random.pick(people.slice(0, 4))!.address];
  if (random.below(3) === 0) return any(MsgRevokeAllowanceSchema, { granter, grantee });
  const basic = { spendLimit: [coin('nhash', 1 + random.below(9))], expiration: soon(context) };
  const period = { seconds: 60n, nanos: 0 };
  const allowance =
    random.below(2) === 0
      ? any(BasicAllowanceSchema, basic)
      : any(PeriodicAllowanceSchema, { basic, period, periodSpendLimit: [coin('nhash', 1)] });
  return any(MsgGrantAllowanceSchema, { granter, grantee, allowance });
}

function groupMessage({ random, owner, other, people, proposals }: MessageContext): Any {
  const admin = owner.address;
  const groupId = random.pick(groupIds)!;
  const groupPolicyAddress = random.pick(policies)!;
  const known = proposals(groupPolicyAddress);
  const proposalId = random.pick(known)?.id ?? 1n;
  const decisionPolicy = any(ThresholdDecisionPolicySchema, {
    threshold: random.pick(['1', '2'])!,
    windows: { votingPeriod: { seconds: BigInt(5 + random.below(60)), nanos: 0 } },
  });
  const members = [owner, other, random.pick(people)!].map(({ address }) => ({ address, weight: random.pick(['1', '0.5'])! }));
  switch (random.below(18)) {
    case 0:
      return any(group.MsgCreateGroupWithPolicySchema, { admin, members: members.slice(0, 2), decisionPolicy });
    case 1:
      return any(group.MsgCreateGroupSchema, { admin, members: members.slice(0, 2), metadata: `group ${random.below(9)}` });
    case 2:
      return any(group.MsgUpdateGroupMembersSchema, {
        admin,
        groupId,
        memberUpdates: [{ address: random.pick(people)!.address, weight: random.pick(['0', '1', '2'])! }],
      });
    case 3:
      return any(group.MsgUpdateGroupMetadataSchema, { admin, groupId, metadata: `group ${random.below(9)}` });
    case 4:
      return any(group.MsgCreateGroupPolicySchema, { admin, groupId, decisionPolicy, metadata: 'policy' });
    case 5:
      return any(group.MsgUpdateGroupPolicyMetadataSchema, { admin, groupPolicyAddress, metadata: `p ${random.below(9)}` });
    case 6:
      return any(group.MsgUpdateGroupPolicyDecisionPolicySchema, { admin, groupPolicyAddress, decisionPolicy });
    case 7:
      return any(group.MsgWithdrawProposalSchema, { proposalId, address: admin });
    case 8:
      return any(group.MsgExecSchema, { proposalId, executor: admin });
    case 9:
      return any(group.MsgLeaveGroupSchema, { address: admin, groupId });
    case 10:
    case 11:
    case 12:
    case 13:
      return any(group.MsgVoteSchema, { proposalId, voter: admin, option: 1 + random.below(4), exec: random.below(2) });
    default:
      return any(group.MsgSubmitProposalSchema, {
        groupPolicyAddress,
        proposers: [admin],
        title: `Proposal ${random.below(99)}`,
        summary: 'At random',
        exec: random.below(2),
      });
  }
}

function send({ random, owner, people }: MessageContext): Any {
  const amount = [coin('nhash', 1 + random.below(1000))];
  return any(MsgSendSchema, { fromAddress: owner.address, toAddress: random.pick(people)!.address, amount });
}

/** Vouchers, of which the owner has some, move or are burned. */
function contractCall({ random, owner, people }: MessageContext): Any {
  const amount = String(1 + random.below(3));
  const call = random.pick([{ transfer: { recipient: random.pick(people)!.address, amount } }, { burn: { amount } }])!;
  return any(MsgExecuteContractSchema, {
    ...{ sender: owner.address, contract: contracts.vouchers },
    msg: contractMessage(call),
  });
}

/** Messages with which the owner creates a group with a policy, names, markers, and scopes. */
export function firstMessages(context: MessageContext): readonly Any[] {
  const { owner } = context;
  const { address } = owner;
  const members = [
    { address, weight: '1' },
    { address: context.other.address, weight: '1' },
  ];
  const windows = { votingPeriod: { seconds: 40n, nanos: 0 } };
  return [
    ...policies.slice(0, 2).map(() =>
      any(group.MsgCreateGroupWithPolicySchema, {
        admin: address,
        members,
        decisionPolicy: any(ThresholdDecisionPolicySchema, { threshold: '2', windows }),
      }),
    ),
    ...labels.map((label) =>
      any(name.MsgBindNameRequestSchema, {
        parent: { name: openName, address },
        record: { name: label, address, restricted: true },
      }),
    ),
    ...denoms.slice(0, 2).map((denom) =>
      any(marker.MsgAddFinalizeActivateMarkerRequestSchema, {
        amount: coin(denom, 1000),
        fromAddress: address,
        accessList: [{ address, permissions }],
        markerType: MarkerType.RESTRICTED,
        allowForcedTransfer: true,
      }),
    ),
    metadataMessages[0]!(context),
    ...scopeIds.map((scopeId) =>
      any(metadata.MsgWriteScopeRequestSchema, {
        scope: {
          scopeId,
          specificationId: specId,
          owners: [{ address, role: PartyType.OWNER }],
          valueOwnerAddress: address,
        },
        signers: [address],
      }),
    ),
  ];
}

/** A random message of a random module, from `owner`. */
export function randomMessage(context: MessageContext): Any {
  const { random } = context;
  const make = random.pick([
    ...[
      attributeMessage,
      attributeMessage,
      nameMessage,
      feegrantMessage,
      feegrantMessage,
      groupMessage,
      groupMessage,
      send,
      contractCall,
    ],
    ...[random.pick(markerMessages)!, random.pick(markerMessages)!, random.pick(metadataMessages)!, sellScope, sellScope],
  ])!;
  return make(context);
}
