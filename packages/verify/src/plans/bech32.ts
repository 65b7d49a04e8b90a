import { concat } from '../bytes.ts';
import { textBytes } from './keyParts.ts';

const letters = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l';
const generators = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3];

/** The checksum of BIP 173 over groups of five bits. */
function checksum(groups: Iterable<number>): number {
  let sum = 1;
  for (const group of groups) {
    const top = sum >>> 25;
    sum = ((sum & 0x1ffffff) << 5) ^ group;
    generators.forEach((generator, bit) => {
      if ((top >>> bit) & 1) sum ^= generator;
    });
  }
  return sum;
}

/** The groups of the readable part: the high bits of each letter, a zero, the low bits. */
function prefixGroups(prefix: string): readonly number[] {
  const codes = [...textBytes(prefix)];
  return [...codes.map((code) => code >> 5), 0, ...codes.map((code) => code & 31)];
}

/** Regroups bits. The bits that are left over are filled up with zeros if `fill` is set, else they have to be zeros. */
function regroup(groups: Iterable<number>, from: number, to: number, fill: boolean): readonly number[] | null {
  const result: number[] = [];
  let [bits, count] = [0, 0];
  for (const group of groups) {
    bits = (bits << from) | group;
    for (count += from; count >= to; ) {
      count -= to;
      result.push(bits >>> count);
      bits &= (1 << count) - 1;
    }
  }
  if (fill && count > 0) result.push(bits << (to - count));
  return !fill && (count >= from || bits !== 0) ? null : result;
}

/** Encodes an address. */
export function bech32(prefix: string, bytes: Uint8Array): string {
  const data = regroup(bytes, 8, 5, true) ?? [];
  const sum = checksum([...prefixGroups(prefix), ...data, 0, 0, 0, 0, 0, 0]) ^ 1;
  const check = [5, 4, 3, 2, 1, 0].map((place) => (sum >>> (5 * place)) & 31);
  return `${prefix}1${[...data, ...check].map((group) => letters[group]).join('')}`;
}

/** Decodes an address in lower case. Returns null for other text, also if its checksum is wrong. */
export function bech32Parts(text: string): { readonly prefix: string; readonly bytes: Uint8Array } | null {
  const [, prefix = '', data = ''] = /^([!-@[-~]{1,83})1([02-9ac-hj-np-z]{6,})$/.exec(text) ?? [];
  const groups = [...data].map((letter) => letters.indexOf(letter));
  if (prefix === '' || checksum([...prefixGroups(prefix), ...groups]) !== 1) return null;
  const bytes = regroup(groups.slice(0, -6), 5, 8, false);
  return bytes && { prefix, bytes: concat(Uint8Array.from(bytes)) };
}
