import { bech32 } from '@scure/base';
import { isMetadata } from '../../../format/addresses.ts';

/** A page of the dashboard that a value names. */
export interface Link {
  readonly kind: 'account' | 'token' | 'transaction' | 'block' | 'page';
  /** What the page is opened with: an address, a denom, a hash, a height, or the path of the page. */
  readonly of: string;
}

/** Addresses with these ends of their prefix are keys, which have no page. */
const keyPrefix = /(valcons|pub)$/;

/** The account of a bech32 text: itself, or that of the validator whose operator it is. undefined if it is none. */
function accountOf(text: string): string | undefined {
  if (!/^[a-z]{2,16}1[a-z0-9]{20,}$/.test(text) || isMetadata(text)) return undefined;
  const decoded = bech32.decodeUnsafe(text, 128);
  const bytes = decoded && bech32.fromWordsUnsafe(decoded.words);
  // Keys and modules have 20 bytes; contracts and group policies have 32.
  if (!decoded || !bytes || keyPrefix.test(decoded.prefix) || (bytes.length !== 20 && bytes.length !== 32)) return undefined;
  const prefix = decoded.prefix.replace(/valoper$/, '');
  return prefix === decoded.prefix ? text : bech32.encode(prefix, decoded.words, 128);
}

/** Ids of the group module, by the type of the message and the name of the field. */
function groupPage(type: string, name: string, id: string): string | undefined {
  if (!/^CosmosGroup/.test(type) || !/^[1-9]\d*$/.test(id)) return undefined;
  if (name === 'proposalId' || (name === 'id' && /Proposal$/.test(type))) return `/proposals/${id}`;
  if (name === 'groupId' || (name === 'id' && /GroupInfo$/.test(type))) return `/groups/${id}`;
  return undefined;
}

/** The page that a value names, by its form and the name of its field in a message of a type. undefined if it names none. */
export function linkOf(text: string, name: string, type: string): Link | undefined {
  const account = accountOf(text);
  if (account !== undefined) return { kind: 'account', of: account };
  if (text !== '' && /(^d|D)enoms?$/.test(name)) return { kind: 'token', of: text };
  if (/^tx_?hash$/i.test(name) && /^[0-9a-f]{64}$/i.test(text)) return { kind: 'transaction', of: text };
  // The heights of other chains are in the messages of IBC.
  if (/^(block_?)?height$/i.test(name) && /^[1-9]\d{0,17}$/.test(text) && !type.startsWith('Ibc'))
    return { kind: 'block', of: text };
  const path = groupPage(type, name, text);
  return path === undefined ? undefined : { kind: 'page', of: path };
}
