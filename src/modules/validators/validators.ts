import type { Client } from '../../chain/client.ts';
import { arrayAt, asObject, bigintAt, malformed, objectAt, textAt } from '../../chain/wire/decode.ts';
import type { JsonValue } from '../../chain/wire/json.ts';
import { badInput } from '../../reads/errors.ts';
import { hexText } from '../../reads/hex.ts';
import type { PublicKey } from '../../schema/publicKey.ts';

/** An entry of a validator set. `address` is upper case hex. */
export interface SetMember {
  readonly address: string;
  readonly publicKey: PublicKey;
  readonly votingPower: bigint;
  readonly proposerPriority: bigint;
}

/** A validator at a height. */
export interface Validator {
  readonly address: string;
  /** Height of the block that the validator set signs. */
  readonly height: bigint;
}

/** The largest page of a node. */
const pageSize = 100;

/**
 * All validators that sign the block at this height, by descending power and then by address, as the node sorts them. One call
 * for every 100 validators. The height is always sent: without it the node returns the set for the block after the newest.
 */
export async function validatorSet(client: Client, height: bigint, signal?: AbortSignal): Promise<readonly SetMember[]> {
  const set: SetMember[] = [];
  for (let page = 1; ; page += 1) {
    const params = { height: height.toString(), page: page.toString(), per_page: pageSize.toString() };
    const { members, total } = await client.call('validators', params, {
      height,
      signal,
      decode: (json) => decodePage(json, height),
    });
    set.push(...members);
    if (members.length === 0 || BigInt(set.length) >= total) return set;
  }
}

function decodePage(json: JsonValue, height: bigint): { readonly members: readonly SetMember[]; readonly total: bigint } {
  const result = asObject(json, 'validators');
  const answered = bigintAt(result, 'block_height');
  if (answered !== height) throw malformed(`validators returned height ${answered} instead of ${height}`);
  const members = arrayAt(result, 'validators').map((item) => {
    const member = asObject(item, 'validator');
    const key = objectAt(member, 'pub_key');
    return {
      address: textAt(member, 'address'),
      publicKey: { type: textAt(key, 'type'), value: textAt(key, 'value') },
      votingPower: bigintAt(member, 'voting_power'),
      proposerPriority: bigintAt(member, 'proposer_priority'),
    };
  });
  return { members, total: bigintAt(result, 'total') };
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
