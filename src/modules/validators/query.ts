import type { SetMember } from '../../chain/blocks/validatorSets.ts';
import { type ConsensusParamUpdates, decodeParamUpdates } from '../../chain/wire/block.ts';
import { asObject, bigintAt, type JsonValue, malformed, objectAt } from '../../chain/wire/json.ts';
import { badInput } from '../../reads/errors.ts';
import { hexText } from '../../reads/input.ts';
import { ReadOnce, type Source } from '../../reads/pin.ts';

/** A validator at a height. */
export interface Validator {
  readonly address: string;
  /** Height of the block that the validator set signs. */
  readonly height: bigint;
}

/** Sort key of a validator set: descending power, then address. */
export function memberKey({ votingPower, address }: SetMember): Uint8Array {
  const power = Buffer.alloc(8);
  power.writeBigUInt64BE(2n ** 64n - 1n - BigInt.asUintN(64, votingPower));
  return Buffer.concat([power, Buffer.from(address, 'hex')]);
}

/** A consensus address in upper case: 20 bytes in hexadecimal, with or without `0x`. Other text is BAD_USER_INPUT. */
export function consensusAddress(argument: string, value: string): string {
  const hex = hexText(value);
  if (hex?.length !== 40) throw badInput(argument, value, 'a consensus address: 20 bytes in hexadecimal');
  return hex;
}

/** Decodes the result of `consensus_params` at `height`. No group is null. Fails if the result is for another height. */
function decodeParamsAt(json: JsonValue, height: bigint): ConsensusParamUpdates {
  const result = asObject(json, 'consensus_params');
  const repliedHeight = bigintAt(result, 'block_height');
  if (repliedHeight !== height) throw malformed(`consensus_params returned height ${repliedHeight} instead of ${height}`);
  return decodeParamUpdates(objectAt(result, 'consensus_params'));
}

/** The loaders of one pin, by height. Callers check heights first. */
export function createValidatorLoaders({ client, signal }: Source) {
  return {
    /** The whole validator set that signs the block at a height. */
    validators: new ReadOnce((height: bigint) => client.validators(height, signal)),
    consensusParams: new ReadOnce((height: bigint) =>
      client.call(
        'consensus_params',
        { height: height.toString() },
        { height, signal, decode: (json) => decodeParamsAt(json, height) },
      ),
    ),
  };
}
