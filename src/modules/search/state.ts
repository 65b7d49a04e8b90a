import { isChainError } from '../../chain/base/errors.ts';
import { searchScan } from '../../config/bounds.ts';
import { addressBytes, isDenom, normalName } from '../../reads/input.ts';
import { type ChainList, readSome } from '../../reads/page.ts';
import { type Pin, type Pinned, pinOf } from '../../reads/pin.ts';
import { orIfAbsent } from '../../reads/query.ts';
import { hasWords, readableText } from '../../reads/words.ts';
import { accountInput } from '../account/query.ts';
import type { Account } from '../account/schema.ts';
import { type Coin, metadataList, supplyList } from '../bank/query.ts';
import { createGovLoaders, type GovProposal, govProposals } from '../gov/query.ts';
import type { Group, GroupMember, GroupPolicy, Proposal } from '../group/model.ts';
import { createGroupLoaders, groupMembers, groupPoliciesByGroup, groups, proposalsByGroupPolicy } from '../group/query.ts';
import { createNameLoaders } from '../name/query.ts';
import type { NameRecord } from '../name/schema.ts';
import { createStakingLoaders } from '../staking/query.ts';
import { validatorOfConsensusAddress, validatorOfOperator } from '../staking/schema.ts';
import type { Validator } from '../validators/query.ts';

/** What a search can look for. The order is that of the results. */
export const searchKinds = [
  ...(['ACCOUNT', 'NAME', 'VALIDATOR', 'TOKEN', 'GROUP'] as const),
  ...(['GROUP_POLICY', 'MEMBER', 'PROPOSAL', 'GOV_PROPOSAL'] as const),
] as const;
export type SearchKind = (typeof searchKinds)[number];

/** Something that a search has found, with the name of its type in the schema. */
type Of<N extends string, T> = T & { readonly __typename: N };
export type StateResult =
  | Of<'Account', Account>
  | Of<'NameRecord', NameRecord>
  | Of<'Validator', Validator>
  | Of<'Coin', Coin>
  | Of<'Group', Group>
  | Of<'GroupPolicy', GroupPolicy>
  | Of<'GroupMember', GroupMember>
  | Of<'Proposal', Proposal>
  | Of<'GovProposal', GovProposal>;

/** What was found in the state. `isComplete` is false if a list was longer than what a search reads of it. */
export interface StateFinds {
  readonly items: readonly StateResult[];
  readonly isComplete: boolean;
}

/** The most groups whose policies, members and proposals are read without an archive, and the most policies. */
const searchedGroups = 50;

const none: StateFinds = { items: [], isComplete: true };

/** The account with this address. An address of another chain is BAD_USER_INPUT. */
async function accounts(pin: Pin, text: string): Promise<StateFinds> {
  if (addressBytes(text) === undefined || /^[^1]+val(oper|cons)1/.test(text)) return none;
  return { items: [{ __typename: 'Account', address: await accountInput(pin, 'text', text) }], isComplete: true };
}

/** The bound name that equals the text. The chain refuses text that its rules for names do not allow: such a name is not bound. */
async function names(pin: Pin, text: string): Promise<StateFinds> {
  const name = normalName(text);
  if (!/^[\w-]+(\.[\w-]+)*$/.test(name)) return none;
  try {
    const binding = await orIfAbsent(pin.loaders(createNameLoaders).binding.load(name), null);
    return binding === null
      ? none
      : { items: [{ __typename: 'NameRecord', name, address: binding.address }], isComplete: true };
  } catch (error) {
    if (isChainError(error, 'ABCI_QUERY_FAILED')) return none;
    throw error;
  }
}

/** Validators by their moniker, or the one with this address of an operator or of a consensus key. */
async function validators(parent: Pinned<object>, text: string, words: readonly string[]): Promise<StateFinds> {
  const staked = await orIfAbsent(pinOf(parent).loaders(createStakingLoaders).validators.load(''), null);
  if (staked === null) return none;
  const withName = staked.byStake.filter(
    ({ moniker, operatorAddress }) => operatorAddress === text || hasWords(moniker, words),
  );
  const validatorsFound = await Promise.all(
    withName.map(({ operatorAddress }) => validatorOfOperator(parent, operatorAddress)),
  );
  const byKey = /valcons1/.test(text) ? await validatorOfConsensusAddress(parent, text) : null;
  const items = [...validatorsFound, byKey].flatMap((validator) =>
    validator === null ? [] : [{ __typename: 'Validator' as const, address: validator.address, height: validator.height }],
  );
  return { items, isComplete: true };
}

/** Denoms with a supply, by the denom and by what its metadata says. The denom that is the text itself is first. */
async function tokens(pin: Pin, text: string, words: readonly string[]): Promise<StateFinds> {
  const [supplies, metadatas] = await Promise.all([
    readSome(supplyList(pin), searchScan),
    readSome(metadataList(pin), searchScan),
  ]);
  const texts = new Map(
    metadatas.items.map(({ base, name, symbol, display, description }) => [
      base,
      [name, symbol, display, description].join(' '),
    ]),
  );
  const coins = supplies.items.filter(({ denom }) => denom === text || hasWords(`${denom} ${texts.get(denom) ?? ''}`, words));
  const isExact = isDenom(text) && coins.some(({ denom }) => denom === text);
  const ordered = isExact ? coins.toSorted((a, b) => Number(b.denom === text) - Number(a.denom === text)) : coins;
  return {
    items: ordered.map((coin) => ({ __typename: 'Coin', ...coin })),
    isComplete: supplies.isComplete && metadatas.isComplete,
  };
}

const allComplete = (lists: readonly { readonly isComplete: boolean }[]): boolean =>
  lists.every(({ isComplete }) => isComplete);

/** The items of a list that have the words; nothing if the chain does not have the module. */
async function selected<T>(
  list: ChainList<T>,
  most: number,
  has: (item: T) => boolean = () => true,
): Promise<{ readonly items: readonly T[]; readonly isComplete: boolean }> {
  const { items, isComplete } = await orIfAbsent(readSome(list, most), { items: [], isComplete: true });
  return { items: items.filter(has), isComplete };
}

/** Groups, their policies, their members and their proposals that the state lists: those of the first groups only. */
async function groupFinds(pin: Pin, kinds: ReadonlySet<SearchKind>, words: readonly string[]): Promise<StateFinds> {
  const loaders = pin.loaders(createGroupLoaders);
  const all = await selected(groups(loaders), searchScan);
  const items: StateResult[] = [];
  const parts: { readonly isComplete: boolean }[] = [all];
  if (kinds.has('GROUP'))
    for (const group of all.items)
      if (hasWords(readableText(group.metadata), words)) items.push({ __typename: 'Group', ...group });
  const searched = all.items.slice(0, searchedGroups);
  if (kinds.has('GROUP_POLICY') || kinds.has('MEMBER') || kinds.has('PROPOSAL'))
    parts.push({ isComplete: searched.length === all.items.length });
  const policies =
    kinds.has('GROUP_POLICY') || kinds.has('PROPOSAL')
      ? await Promise.all(searched.map(({ id }) => selected(groupPoliciesByGroup(loaders, id), 1)))
      : [];
  parts.push(...policies);
  if (kinds.has('GROUP_POLICY'))
    for (const policy of policies.flatMap((list) => list.items))
      if (hasWords(`${readableText(policy.metadata)} ${policy.address}`, words))
        items.push({ __typename: 'GroupPolicy', ...policy });
  if (kinds.has('MEMBER')) {
    const lists = await Promise.all(
      searched.map(({ id }) =>
        selected(groupMembers(loaders, id), 1, ({ metadata, address }) =>
          hasWords(`${readableText(metadata)} ${address}`, words),
        ),
      ),
    );
    parts.push(...lists);
    for (const list of lists) for (const member of list.items) items.push({ __typename: 'GroupMember', ...member });
  }
  if (kinds.has('PROPOSAL')) {
    const addresses = policies.flatMap((list) => list.items.map(({ address }) => address));
    const lists = await Promise.all(
      addresses.slice(0, searchedGroups).map((address) => selected(proposalsByGroupPolicy(loaders, address), 1)),
    );
    parts.push(...lists, { isComplete: addresses.length <= searchedGroups });
    const proposals = lists.flatMap((list) => list.items).toSorted((a, b) => (a.id < b.id ? 1 : -1));
    for (const proposal of proposalsWith(proposals, words)) items.push({ __typename: 'Proposal', ...proposal });
  }
  return { items, isComplete: allComplete(parts) };
}

/** Proposals with the words in their title, then those with them elsewhere. */
function proposalsWith<T extends { readonly title: string; readonly summary: string }>(
  proposals: readonly T[],
  words: readonly string[],
): readonly T[] {
  const inTitle = proposals.filter(({ title }) => hasWords(title, words));
  const others = proposals.filter(({ title, summary }) => !hasWords(title, words) && hasWords(`${title} ${summary}`, words));
  return [...inTitle, ...others];
}

async function govFinds(pin: Pin, words: readonly string[]): Promise<StateFinds> {
  const list = govProposals(pin.loaders(createGovLoaders), { status: 0, voter: '', depositor: '' });
  const { items, isComplete } = await selected(list, searchScan);
  const proposals = proposalsWith(items.toReversed(), words);
  return { items: proposals.map((proposal) => ({ __typename: 'GovProposal', ...proposal })), isComplete };
}

/** What of these kinds the state lists with the words, in the order of the kinds. `text` is what was entered, for addresses, names and denoms. */
export async function findInState(
  parent: Pinned<object>,
  kinds: ReadonlySet<SearchKind>,
  text: string,
  words: readonly string[],
): Promise<StateFinds> {
  const pin = pinOf(parent);
  const isOf = (kind: SearchKind, read: () => Promise<StateFinds>): Promise<StateFinds> =>
    kinds.has(kind) ? read() : Promise.resolve(none);
  const hasGroups = (['GROUP', 'GROUP_POLICY', 'MEMBER', 'PROPOSAL'] as const).some((kind) => kinds.has(kind));
  const parts = await Promise.all([
    isOf('ACCOUNT', () => accounts(pin, text)),
    isOf('NAME', () => names(pin, text)),
    isOf('VALIDATOR', () => validators(parent, text, words)),
    isOf('TOKEN', () => tokens(pin, text, words)),
    hasGroups ? groupFinds(pin, kinds, words) : none,
    isOf('GOV_PROPOSAL', () => govFinds(pin, words)),
  ]);
  return { items: parts.flatMap(({ items }) => items), isComplete: allComplete(parts) };
}
