import { bech32 } from '@scure/base';
import { texts } from '../language/language.ts';
import type { Entered } from './units.ts';

/** What follows the prefix of the chain in addresses that are no accounts. */
const kinds = ['valoper', 'valcons', 'pub', 'valoperpub', 'valconspub'] as const;

/** Prefixes of the metadata module. */
const metadata = /^(scope|session|record|scopespec|contractspec|recspec)$/;

/** Whether an address is one of the metadata module, such as a scope. */
export function isMetadata(address: string): boolean {
  return metadata.test(prefixOf(address));
}

/** The prefix of an address. Empty if the text has none. */
export function prefixOf(address: string): string {
  return address.slice(0, Math.max(0, address.lastIndexOf('1'))).toLowerCase();
}

/** Why an address with a valid checksum is no account of the chain whose accounts begin with `own`. undefined if it is one. */
export function foreignAddress(address: string, ownPrefix: string): string | undefined {
  const prefix = prefixOf(address);
  if (prefix === ownPrefix) return undefined;
  const { addresses } = texts.value;
  if (metadata.test(prefix)) return addresses.ofMetadata(prefix);
  const kind = kinds.find((end) => prefix === ownPrefix + end);
  if (kind !== undefined) return addresses.ofKind(addresses[kind], ownPrefix);
  const chain = Object.entries(texts.value.chains).find(
    ([of]) => prefix === of || kinds.some((end) => prefix === of + end),
  )?.[1];
  return addresses.ofOtherChain(chain ?? addresses.otherChain, prefix, ownPrefix);
}

/** The account of the validator with this operator address. undefined for other texts. `own` is the prefix of the accounts of the chain. */
export function operatorAccount(address: string, ownPrefix: string): string | undefined {
  const decoded = bech32.decodeUnsafe(address, 128);
  return decoded?.prefix === `${ownPrefix}valoper` ? bech32.encode(ownPrefix, decoded.words, 128) : undefined;
}

/** The account of the validator with this operator address, on any chain. undefined for other texts. */
export function accountOfOperator(address: string): string | undefined {
  const [, own] = /^(.+)valoper$/.exec(prefixOf(address)) ?? [];
  return own === undefined ? undefined : operatorAccount(address, own);
}

/** Reads the address of an account, as a visitor enters it. `own` is the prefix of the accounts of the chain, such as `tp`. */
export function readAddress(text: string, ownPrefix: string): Entered {
  const entered = text.trim();
  if (entered === '') return {};
  const decoded = bech32.decodeUnsafe(entered, 128);
  const bytes = decoded && bech32.fromWordsUnsafe(decoded.words);
  if (!bytes) {
    const isClose = /^[a-z]{2,16}1[a-z0-9]{20,}$/i.test(entered);
    return {
      problem: isClose ? texts.value.addresses.checksum : texts.value.addresses.notAddress(ownPrefix),
    };
  }
  const problem = foreignAddress(entered, ownPrefix);
  if (problem !== undefined) return { problem };
  // Keys and modules have 20 bytes; contracts and group policies have 32.
  if (bytes.length !== 20 && bytes.length !== 32) return { problem: texts.value.addresses.noLength(String(bytes.length)) };
  return { value: entered.toLowerCase() };
}

/** An address or a hash with its middle left out. */
export function shorten(text: string, [begin, end]: readonly [number, number] = [8, 6]): string {
  return text.length <= begin + end + 1 ? text : `${text.slice(0, begin)}…${text.slice(-end)}`;
}
