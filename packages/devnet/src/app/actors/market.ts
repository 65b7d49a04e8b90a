import { MsgMultiSendSchema, MsgSendSchema } from '../../../../../src/proto/cosmos/bank/v1beta1/tx_pb.js';
import { MsgExecuteContractSchema } from '../../../../../src/proto/cosmwasm/wasm/v1/tx_pb.js';
import { type Attribute, AttributeType } from '../../../../../src/proto/provenance/attribute/v1/attribute_pb.js';
import {
  MsgAddAttributeRequestSchema,
  MsgDeleteDistinctAttributeRequestSchema,
  MsgUpdateAttributeRequestSchema,
} from '../../../../../src/proto/provenance/attribute/v1/tx_pb.js';
import {
  MsgAddNetAssetValuesRequestSchema,
  MsgTransferRequestSchema,
} from '../../../../../src/proto/provenance/marker/v1/tx_pb.js';
import { MsgAddNetAssetValuesRequestSchema as MsgAddScopeValuesSchema } from '../../../../../src/proto/provenance/metadata/v1/tx_pb.js';
import { feeDenom } from '../runtime/coins.ts';
import type { Random } from '../runtime/random.ts';
import type { WalletAccount } from '../runtime/wallet.ts';
import { nameOwners } from '../world/attestations.ts';
import { contractMessage, contracts, pointsAdmin } from '../world/contracts.ts';
import { scopeAddresses, scopeOwner } from '../world/scopes.ts';
import { toAny } from '../world/step.ts';
import { tokenAdmins, tokens } from '../world/tokens.ts';
import type { ChainReader } from './chainReader.ts';
import type { PlannedTransaction } from './plannedTransaction.ts';

/** Plans the actors' transactions with tokens, attributes, prices and contracts. */
export interface Market {
  /** Plans a transaction of one of the free actors. undefined if the randomly chosen kind is not possible now. */
  readonly plan: (reader: ChainReader, free: readonly WalletAccount[]) => PlannedTransaction | undefined;
}

/** Amounts that an account keeps when it sends, so that no account runs out of coins. */
const reserve: Readonly<Record<string, bigint>> = {
  [tokens.gold]: 500n,
  [tokens.dollar]: 2_000_000_000n,
  [tokens.share]: 100n,
};
const visits = 'visits.kyc.pb';
/** Largest number of values of the attribute `visits` on one account. */
const maxVisits = 3;

/** Base prices in mills (thousandths of a dollar) for a volume of each denomination. */
const anchors: readonly (readonly [denom: string, mills: number, volume: bigint, admin: number])[] = [
  [tokens.gold, 97_150, 1n, tokenAdmins.gold],
  [tokens.share, 12_510, 1n, tokenAdmins.share],
  [feeDenom, 28, 1_000_000_000n, tokenAdmins.fee],
  [tokens.dollar, 1000, 1_000_000n, tokenAdmins.dollar],
];

/**
 * Creates the market over the tokens, names and scopes of the genesis. `accounts` are those of the wallet; the last two are not
 * used.
 */
export function createMarket({
  accounts,
  random,
  absent,
}: {
  readonly accounts: readonly WalletAccount[];
  readonly random: Random;
  /** The modules that the chain does not have: nobody uses them. */
  readonly absent: ReadonlySet<string>;
}): Market {
  const people = accounts.slice(0, 8);

  const among = (free: readonly WalletAccount[], index: number): WalletAccount | undefined => {
    const wantedPerson = people[index];
    return wantedPerson !== undefined && free.includes(wantedPerson) ? wantedPerson : undefined;
  };
  const spare = (reader: ChainReader, address: string, denom: string): bigint =>
    reader.balance(address, denom) - (reserve[denom] ?? 0n);

  const send = (reader: ChainReader, free: readonly WalletAccount[]): PlannedTransaction | undefined => {
    const actor = random.pick(free);
    const friend = random.pick(people.filter((other) => other !== actor));
    const denom = random.pick([tokens.gold, tokens.dollar, tokens.dollar]) ?? tokens.dollar;
    const amount = denom === tokens.gold ? BigInt(1 + random.below(40)) : BigInt(1 + random.below(900)) * 250_000n;
    if (actor === undefined || friend === undefined || spare(reader, actor.address, denom) < amount) return undefined;
    const message = { fromAddress: actor.address, toAddress: friend.address, amount: [{ denom, amount: String(amount) }] };
    return { actor, message: toAny(MsgSendSchema, message) };
  };

  const sendToSeveral = (reader: ChainReader, free: readonly WalletAccount[]): PlannedTransaction | undefined => {
    const actor = random.pick(free);
    const friends = random.shuffle(people.filter((other) => other !== actor)).slice(0, 2 + random.below(3));
    const each = BigInt(1 + random.below(60)) * 500_000n;
    const total = each * BigInt(friends.length);
    if (actor === undefined || spare(reader, actor.address, tokens.dollar) < total) return undefined;
    const coins = (amount: bigint) => [{ denom: tokens.dollar, amount: String(amount) }];
    const outputs = friends.map(({ address }) => ({ address, coins: coins(each) }));
    return {
      actor,
      message: toAny(MsgMultiSendSchema, { inputs: [{ address: actor.address, coins: coins(total) }], outputs }),
    };
  };

  /** Plans a transfer of shares by their administrator. */
  const broker = (reader: ChainReader, free: readonly WalletAccount[]): PlannedTransaction | undefined => {
    const actor = among(free, tokenAdmins.share);
    const knownPeople = people.slice(0, 6);
    const from = random.pick(knownPeople.filter(({ address }) => spare(reader, address, tokens.share) > 0n));
    const to = random.pick(knownPeople.filter((other) => other !== from));
    if (actor === undefined || from === undefined || to === undefined) return undefined;
    const most = Number(spare(reader, from.address, tokens.share));
    const amount = { denom: tokens.share, amount: String(1 + random.below(Math.min(most, 25))) };
    const message = { amount, administrator: actor.address, fromAddress: from.address, toAddress: to.address };
    return { actor, message: toAny(MsgTransferRequestSchema, message) };
  };

  const attest = (reader: ChainReader, free: readonly WalletAccount[]): PlannedTransaction | undefined => {
    const actor = among(free, nameOwners.visits);
    const subject = random.pick(people);
    if (actor === undefined || subject === undefined) return undefined;
    const knownVisits = reader.attributes(subject.address, visits);
    const owner = actor.address;
    const account = subject.address;
    const chosen: Attribute | undefined = random.pick(knownVisits);
    const value = new Uint8Array(Buffer.from(`Visit ${1 + random.below(1_000_000)}`));
    const draw = random.next();
    if (chosen !== undefined && (knownVisits.length >= maxVisits || draw < 0.2)) {
      return {
        actor,
        message: toAny(MsgDeleteDistinctAttributeRequestSchema, { name: visits, value: chosen.value, account, owner }),
      };
    }
    if (knownVisits.some((attribute) => Buffer.from(attribute.value).equals(value))) return undefined;
    if (chosen !== undefined && draw < 0.6) {
      const types = { originalAttributeType: chosen.attributeType, updateAttributeType: AttributeType.STRING };
      const update = { name: visits, originalValue: chosen.value, updateValue: value, ...types, account, owner };
      return { actor, message: toAny(MsgUpdateAttributeRequestSchema, update) };
    }
    const claim = { name: visits, value, attributeType: AttributeType.STRING, account, owner };
    return { actor, message: toAny(MsgAddAttributeRequestSchema, claim) };
  };

  /** Returns a price within 5 % of the base price. */
  const near = (mills: number): string => String(Math.max(1, Math.round(mills * (0.95 + random.next() / 10))));

  const reprice = (_: ChainReader, free: readonly WalletAccount[]): PlannedTransaction | undefined => {
    const [denom, mills, volume, admin] = random.pick(anchors) ?? ['', 0, 1n, -1];
    const actor = among(free, admin);
    if (actor === undefined) return undefined;
    const values = [{ price: { denom: 'usd', amount: near(mills) }, volume }];
    // The price of a dollar cannot be in dollars.
    const inDollars = [{ price: { denom: tokens.dollar, amount: near(mills * 1000) }, volume }];
    const netAssetValues = denom === tokens.dollar || random.next() < 0.6 ? values : [...values, ...inDollars];
    return {
      actor,
      message: toAny(MsgAddNetAssetValuesRequestSchema, { denom, administrator: actor.address, netAssetValues }),
    };
  };

  const repriceScope = (_: ChainReader, free: readonly WalletAccount[]): PlannedTransaction | undefined => {
    const actor = among(free, scopeOwner);
    const scopeId = random.pick(scopeAddresses.filter((_, index) => index === 0 || index === 2));
    if (actor === undefined || scopeId === undefined) return undefined;
    const netAssetValues = [{ price: { denom: 'usd', amount: near(250_000_000) }, volume: 1n }];
    return { actor, message: toAny(MsgAddScopeValuesSchema, { scopeId, signers: [actor.address], netAssetValues }) };
  };

  /** Plans new points, which only their administrator can give. */
  const givePoints = (_: ChainReader, free: readonly WalletAccount[]): PlannedTransaction | undefined => {
    const actor = among(free, pointsAdmin);
    const friend = random.pick(people.slice(1));
    if (actor === undefined || friend === undefined) return undefined;
    const msg = contractMessage({ mint: { recipient: friend.address, amount: String(1 + random.below(50)) } });
    return { actor, message: toAny(MsgExecuteContractSchema, { sender: actor.address, contract: contracts.points, msg }) };
  };

  return {
    plan(reader, free) {
      const draw = random.next();
      if (draw < 0.28) return send(reader, free);
      if (draw < 0.38) return sendToSeveral(reader, free);
      if (draw < 0.5) return absent.has('marker') ? undefined : broker(reader, free);
      if (draw < 0.7) return absent.has('attribute') ? undefined : attest(reader, free);
      if (draw < 0.92) return absent.has('marker') ? undefined : reprice(reader, free);
      if (draw < 0.96) return absent.has('metadata') ? undefined : repriceScope(reader, free);
      return absent.has('wasm') ? undefined : givePoints(reader, free);
    },
  };
}
