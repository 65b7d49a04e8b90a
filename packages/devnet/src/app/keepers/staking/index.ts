import { createHash } from 'node:crypto';
import { create } from '@bufbuild/protobuf';
import { PubKeySchema } from '../../../../../../src/proto/cosmos/crypto/ed25519/keys_pb.js';
import { BondStatus, ValidatorSchema } from '../../../../../../src/proto/cosmos/staking/v1beta1/staking_pb.js';
import { encodeAddress } from '../../runtime/address.ts';
import { feeDenom } from '../../runtime/coins.ts';
import type { Context } from '../../runtime/context.ts';
import { one } from '../../runtime/dec.ts';
import { plainEvent } from '../../runtime/events.ts';
import type { GenesisDelegation, GenesisValidator } from '../../runtime/genesisState.ts';
import { type ChainValidator, type Keeper, packAny } from '../../runtime/keeper.ts';
import { momentOf } from '../../runtime/time.ts';
import { addCoins, mintCoins, subtractCoins } from '../bank/state.ts';
import { stakingMessages } from './messages.ts';
import { stakingQueries } from './queries.ts';
import { type DelegationHooks, worthOf } from './shares.ts';
import {
  bondedPool,
  dequeue,
  findRedelegation,
  findUnbonding,
  findValidator,
  notBondedPool,
  operatorAccount,
  operatorAddress,
  saveDelegation,
  saveRedelegation,
  saveUnbonding,
  saveValidator,
  stakingKeys,
} from './state.ts';

const tokensPerPower = 1_000_000n;
const none = { seconds: 0n, nanos: 0 };

/** The consensus address of a key. */
export function consensusAddress(publicKey: Uint8Array): Uint8Array {
  return new Uint8Array(createHash('sha256').update(publicKey).digest().subarray(0, 20));
}

/** A validator that makes blocks. Nobody has the key of its operator: its address is the consensus address, so that it equals the recipient of rewards. */
function blockMaker({ publicKey, power }: ChainValidator, index: number): GenesisValidator {
  const tokens = power * tokensPerPower;
  return {
    operator: encodeAddress(consensusAddress(publicKey)),
    publicKey,
    moniker: `validator-${index}`,
    tokens,
    shares: tokens * one,
  };
}

function writeValidator(context: Context, genesis: GenesisValidator): void {
  const { operator, publicKey, moniker, tokens, shares, jailed = false, commission = one / 10n } = genesis;
  saveValidator(
    context,
    create(ValidatorSchema, {
      operatorAddress: operatorAddress(operatorAccount(operator)),
      consensusPubkey: packAny(PubKeySchema, create(PubKeySchema, { key: publicKey })),
      jailed,
      status: jailed ? BondStatus.UNBONDED : BondStatus.BONDED,
      tokens: String(tokens),
      delegatorShares: String(shares),
      description: { moniker, details: 'Validator of this development chain.' },
      unbondingTime: none,
      commission: {
        commissionRates: { rate: String(commission), maxRate: String(one / 5n), maxChangeRate: String(one / 100n) },
        updateTime: none,
      },
      minSelfDelegation: '1',
    }),
  );
}

/** Writes a delegation of the genesis, and mints its coins in the pool. */
function writeDelegation(context: Context, { delegator, operator, shares }: GenesisDelegation): void {
  const address = operatorAddress(operatorAccount(operator));
  saveDelegation(context, delegator, address, shares);
  const validator = findValidator(context, address);
  if (validator === undefined) throw new Error(`no validator ${operator}`);
  const pool = validator.status === BondStatus.BONDED ? bondedPool : notBondedPool;
  mintCoins(context, pool, [{ denom: feeDenom, amount: worthOf(validator, shares) / one }]);
}

/** Pays back the stake whose unbonding ends. */
function completeUnbondings(context: Context): void {
  const now = context.block.time;
  for (const part of dequeue(context, stakingKeys.unbondingQueue)) {
    const unbonding = findUnbonding(context, ...pairOf(part));
    if (unbonding === undefined) continue;
    const { delegatorAddress: delegator, validatorAddress: validator, entries } = unbonding;
    const isDue = ({ completionTime }: (typeof entries)[number]) => momentOf(completionTime) <= now;
    const amount = entries.filter(isDue).reduce((sum, { balance }) => sum + BigInt(balance), 0n);
    const coins = [{ denom: feeDenom, amount }];
    subtractCoins(context, notBondedPool, coins);
    addCoins(context, operatorAccount(delegator), coins);
    saveUnbonding(context, { ...unbonding, entries: entries.filter((entry) => !isDue(entry)) });
    context.emit(
      plainEvent('complete_unbonding', [
        ['amount', `${amount}${feeDenom}`],
        ['validator', validator],
        ['delegator', delegator],
      ]),
    );
  }
}

/** The addresses in the key of an unbonding. */
function pairOf(part: string): [delegator: string, operator: string] {
  const bytes = Buffer.from(part, 'latin1');
  const size = bytes[0] ?? 0;
  return [encodeAddress(bytes.subarray(1, 1 + size)), operatorAddress(bytes.subarray(2 + size))];
}

function completeRedelegations(context: Context): void {
  const now = context.block.time;
  for (const part of dequeue(context, stakingKeys.redelegationQueue)) {
    const moved = findRedelegation(context, part);
    if (moved === undefined) continue;
    const { delegatorAddress, validatorSrcAddress, validatorDstAddress, entries } = moved;
    const isDue = ({ completionTime }: (typeof entries)[number]) => momentOf(completionTime) <= now;
    const amount = entries.filter(isDue).reduce((sum, { initialBalance }) => sum + BigInt(initialBalance), 0n);
    saveRedelegation(context, { ...moved, entries: entries.filter((entry) => !isDue(entry)) });
    context.emit(
      plainEvent('complete_redelegation', [
        ['amount', `${amount}${feeDenom}`],
        ['delegator', delegatorAddress],
        ['source_validator', validatorSrcAddress],
        ['destination_validator', validatorDstAddress],
      ]),
    );
  }
}

/**
 * The staking module. The validators that make blocks are always the same: stake does not change their power. Those of the genesis are bonded and vote, but make
 * no blocks.
 */
export function createStakingKeeper(hooks: DelegationHooks | undefined): Keeper {
  return {
    messages: stakingMessages(hooks),
    queries: stakingQueries,
    initGenesis(context, { staking }, validators) {
      validators.forEach((validator, index) => {
        const maker = blockMaker(validator, index);
        writeValidator(context, maker);
        // Not backed by coins: nobody can take it back.
        const operator = operatorAddress(consensusAddress(validator.publicKey));
        saveDelegation(context, maker.operator, operator, maker.shares);
      });
      for (const validator of staking?.validators ?? []) writeValidator(context, validator);
      for (const delegation of staking?.delegations ?? []) writeDelegation(context, delegation);
    },
    endBlock(context) {
      completeUnbondings(context);
      completeRedelegations(context);
    },
  };
}
