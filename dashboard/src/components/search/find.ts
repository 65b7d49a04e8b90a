import { hasModule } from '../../data/modules.ts';
import { stele } from '../../data/stele.ts';
import { accountOfOperator, shorten } from '../../format/addresses.ts';
import { readableName } from '../../format/names.ts';
import {
  FindAddressDocument,
  FindNumberDocument,
  FindTransactionDocument,
  FindWordsDocument,
  type FindWordsQuery,
} from '../../gen/graphql.ts';
import type { Catalogue } from '../../language/en.ts';
import { texts } from '../../language/language.ts';
import { at } from '../../routing/router.ts';

/** What a text can mean. The texts of the pages have a word for each. */
export type FoundKind = keyof Catalogue['found'];

/** Something that a text can mean. */
export interface Found {
  readonly kind: FoundKind;
  readonly name: string;
  /** The path of its page. */
  readonly path: string;
}

async function byHash(hash: string): Promise<Found[]> {
  const { data } = await stele.query(FindTransactionDocument, { hash });
  return [
    ...(data.transaction === null
      ? []
      : [{ kind: 'transaction' as const, name: data.transaction.hash, path: `/transactions/${data.transaction.hash}` }]),
    ...(data.blockByHash === null
      ? []
      : [{ kind: 'block' as const, name: data.blockByHash.height, path: `/blocks/${data.blockByHash.height}` }]),
  ];
}

async function byNumber(number: string): Promise<Found[]> {
  const { data } = await stele.query(FindNumberDocument, {
    height: number,
    id: number,
    gov: hasModule('gov'),
    group: hasModule('group'),
  });
  // The records are of proposals that the chain has deleted.
  const proposal = data.proposal ?? data.proposalRecord;
  const govProposal = data.govProposal ?? data.govProposalRecord;
  return [
    ...(!proposal ? [] : [{ kind: 'proposal' as const, name: `${number} ${proposal.title}`, path: `/proposals/${number}` }]),
    ...(!govProposal ? [] : [{ kind: 'govProposal' as const, name: `${number} ${govProposal.title}`, path: `/gov/${number}` }]),
    ...(!data.group ? [] : [{ kind: 'group' as const, name: `${number} ${data.group.metadata}`, path: `/groups/${number}` }]),
    ...(data.block === null ? [] : [{ kind: 'block' as const, name: number, path: `/blocks/${number}` }]),
  ];
}

/** Kinds of numbered things by the words that visitors write before the number. */
const numberedKinds: readonly (readonly [written: RegExp, kinds: readonly FoundKind[]])[] = [
  [/^(proposal|prop)s?$/, ['proposal', 'govProposal']],
  [/^(gov|governance)$/, ['govProposal']],
  [/^groups?$/, ['group']],
  [/^(block|height)s?$/, ['block']],
];

/** What a text such as `proposal 38` or `block #2` names. Empty for other texts. */
async function byKindAndNumber(text: string): Promise<readonly Found[]> {
  const [, word = '', number = ''] = /^([a-z]+)\s*#?\s*([1-9]\d{0,17})$/i.exec(text) ?? [];
  const [, kinds] = numberedKinds.find(([written]) => written.test(word.toLowerCase())) ?? [];
  return kinds === undefined ? [] : (await byNumber(number)).filter(({ kind }) => kinds.includes(kind));
}

async function byAddress(address: string): Promise<Found[]> {
  if (accountOfOperator(address) !== undefined)
    return [{ kind: 'validator' as const, name: address, path: `/validators/${address}` }];
  const { data, errors } = await stele.query(FindAddressDocument, {
    address,
    group: hasModule('group'),
    marker: hasModule('marker'),
    wasm: hasModule('wasm'),
  });
  const { account } = data;
  // The error says whether it is of another chain, or of a validator.
  if (account === null && errors?.[0] !== undefined) throw errors[0];
  if (account === null) return [];
  const { groupPolicy, marker, contract } = account;
  // The page of a contract links its account.
  if (contract) return [{ kind: 'contract' as const, name: contract.label, path: `/contracts/${address}` }];
  return [
    ...(!groupPolicy ? [] : [{ kind: 'board' as const, name: groupPolicy.metadata || address, path: `/policies/${address}` }]),
    ...(!marker ? [] : [{ kind: 'token' as const, name: marker.denom, path: `/tokens/${marker.denom}` }]),
    { kind: 'account' as const, name: address, path: `/accounts/${address}` },
  ];
}

type Hit = FindWordsQuery['search']['nodes'][number];

/** What a result is, its name, and its page. */
function shownHit(hit: Hit): Found {
  switch (hit.__typename) {
    case 'Account':
      return { kind: 'account', name: hit.address, path: `/accounts/${hit.address}` };
    case 'NameRecord':
      return { kind: 'name', name: hit.name, path: `/accounts/${hit.account.address}` };
    case 'Validator':
      return { kind: 'validator', name: hit.moniker || hit.address, path: `/validators/${hit.operatorAddress ?? hit.address}` };
    case 'Coin':
      return { kind: 'token', name: hit.denom, path: `/tokens/${hit.denom}` };
    case 'Group':
      return {
        kind: 'group',
        name: readableName(hit.metadata) || texts.value.proposal.group(hit.id),
        path: `/groups/${hit.id}`,
      };
    case 'GroupPolicy': {
      const name = readableName(hit.metadata);
      const group = hit.group === null ? '' : readableName(hit.group.metadata) || texts.value.proposal.group(hit.group.id);
      return {
        kind: 'board',
        name: name === '' || group === '' ? name || group || shorten(hit.address) : `${name} · ${group}`,
        path: `/policies/${hit.address}`,
      };
    }
    case 'GroupMember': {
      const { address } = hit.account;
      const place =
        hit.group === null ? '' : ` · ${readableName(hit.group.metadata) || texts.value.proposal.group(hit.group.id)}`;
      return {
        kind: 'member',
        name: `${readableName(hit.metadata) || shorten(address)}${place}`,
        path: `/accounts/${address}`,
      };
    }
    case 'Proposal':
    case 'ProposalRecord':
      return { kind: 'proposal', name: `${hit.id} ${hit.title}`, path: `/proposals/${hit.id}` };
    case 'GovProposal':
    case 'GovProposalRecord':
      return { kind: 'govProposal', name: `${hit.id} ${hit.title}`, path: `/gov/${hit.id}` };
  }
}

/** Whether a result is what the text names, and not only something with its words. */
const isNamed = (hit: Hit, text: string): boolean =>
  (hit.__typename === 'Coin' && hit.denom === text) || (hit.__typename === 'NameRecord' && hit.name === text.toLowerCase());

async function byWords(text: string, first: number): Promise<Finds> {
  const { data } = await stele.query(FindWordsDocument, { text, first }, at.value === undefined ? {} : { height: at.value });
  const { nodes, pageInfo } = data.search;
  const exact = nodes.filter((hit) => isNamed(hit, text));
  return {
    items: nodes.map(shownHit),
    ...(exact.length === 1 && exact[0] !== undefined && { exact: shownHit(exact[0]) }),
    hasMore: pageInfo.hasNextPage,
  };
}

/** What a text means. */
export interface Finds {
  readonly items: readonly Found[];
  /** The one thing that the text names. */
  readonly exact?: Found;
  /** Whether there is more than `items`. */
  readonly hasMore: boolean;
}

const only = (items: readonly Found[]): Finds => ({
  items,
  hasMore: false,
  ...(items.length === 1 && items[0] !== undefined && { exact: items[0] }),
});

/** The most characters of a text that the server searches for. */
const longest = 256;

/** Finds what a text means, by its form, or what has its words: `first` things at most. Rejects if the server cannot be asked, and for the address of another chain. */
export async function find(text: string, first: number): Promise<Finds> {
  const plain = text.trim().slice(0, longest);
  const number = plain.replaceAll(/[,#\s]/g, '');
  if (/^(0x)?[0-9a-f]{64}$/i.test(plain)) return only(await byHash(plain));
  if (/^[a-z]{2,16}1[02-9ac-hj-np-z]{38,58}$/.test(plain)) return only(await byAddress(plain));
  const numberedFinds = await byKindAndNumber(plain);
  if (numberedFinds.length > 0) return only(numberedFinds);
  if (!/^[1-9]\d{0,17}$/.test(number)) return byWords(plain, first);
  const numbered = await byNumber(number);
  return numbered.length > 0 ? only(numbered) : byWords(plain, first);
}
