import { bech32 } from '@scure/base';
import type { Entered } from './units.ts';

/** Chains by the prefix of their accounts (SLIP-0173). */
const chains: Readonly<Record<string, string>> = {
  pb: 'the main network of Provenance',
  tp: 'a test network of Provenance',
  cosmos: 'the Cosmos Hub',
  osmo: 'Osmosis',
};

/** Kinds of addresses that are no accounts, by what follows the prefix of the chain. */
const kinds: Readonly<Record<string, string>> = {
  valoper: 'the operator of a validator',
  valcons: 'the consensus key of a validator',
  pub: 'a public key',
  valoperpub: 'the public key of an operator',
  valconspub: 'the consensus key of a validator',
};

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
  if (metadata.test(prefix))
    return `This is the address of ${/^[aeiou]/.test(prefix) ? 'an' : 'a'} ${prefix} of the metadata module, not of an account.`;
  const [kind, name] = Object.entries(kinds).find(([end]) => prefix === ownPrefix + end) ?? [];
  if (kind !== undefined)
    return `This is the address of ${name}, not of an account. Accounts of this chain begin with ${ownPrefix}1.`;
  const chain = Object.entries(chains).find(
    ([of]) => prefix === of || Object.keys(kinds).some((end) => prefix === of + end),
  )?.[1];
  return `This is an address of ${chain ?? 'another chain'}: it begins with ${prefix}1. Accounts of this chain begin with ${ownPrefix}1.`;
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
      problem: isClose
        ? 'This address has a wrong or missing character: its checksum is not valid.'
        : `This is not an address. Accounts of this chain begin with ${ownPrefix}1.`,
    };
  }
  const problem = foreignAddress(entered, ownPrefix);
  if (problem !== undefined) return { problem };
  // Keys and modules have 20 bytes; contracts and group policies have 32.
  if (bytes.length !== 20 && bytes.length !== 32) return { problem: `No account has an address of ${bytes.length} bytes.` };
  return { value: entered.toLowerCase() };
}

/** An address or a hash with its middle left out. */
export function shorten(text: string, [begin, end]: readonly [number, number] = [8, 6]): string {
  return text.length <= begin + end + 1 ? text : `${text.slice(0, begin)}…${text.slice(-end)}`;
}
