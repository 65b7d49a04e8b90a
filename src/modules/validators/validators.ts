import type { SetMember } from '../../chain/blocks/validatorSets.ts';
import { badInput } from '../../reads/errors.ts';
import { hexText } from '../../reads/input.ts';

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
