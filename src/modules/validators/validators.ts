import type { Client } from '../../chain/client.ts';
import { arrayAt, asObject, bigintAt, malformed, objectAt, textAt } from '../../chain/wire/decode.ts';
import type { JsonValue } from '../../chain/wire/json.ts';
import { badInput } from '../../reads/errors.ts';
import { hexText } from '../../schema/scalars.ts';
import type { PublicKey } from '../nodes/status.ts';

/** One of a validator set. `address` is upper case hex. */
export interface SetMember {
  readonly address: string;
  readonly publicKey: PublicKey;
  readonly votingPower: bigint;
  readonly proposerPriority: bigint;
}

/** A validator as of the set of one height. */
export interface Validator {
  readonly address: string;
  /** Height of the block whose set is meant. */
  readonly height: bigint;
}

/** The node's own maximum. */
const pageSize = 100;

/**
 * All validators that sign the block of this height, by descending power and then by address, as the node sorts them. One read
 * for every 100. The height is always sent: without one the node answers for the block after the newest.
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
  if (answered !== height) throw malformed(`validators of height ${answered} in place of ${height}`);
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

/** Keys that ascend along a set: descending power, then address. */
export function memberKey({ votingPower, address }: SetMember): Uint8Array {
  const power = Buffer.alloc(8);
  power.writeBigUInt64BE(2n ** 64n - 1n - BigInt.asUintN(64, votingPower));
  return Buffer.concat([power, Buffer.from(address, 'hex')]);
}

/** A consensus address (20 bytes in hex, `0x` allowed) in upper case. Else BAD_USER_INPUT. */
export function consensusAddress(argument: string, value: string): string {
  const hex = hexText(value);
  if (hex?.length !== 40) throw badInput(argument, value, 'a consensus address: 20 bytes in hexadecimal');
  return hex;
}
