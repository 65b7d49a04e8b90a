import { sha256 } from '@noble/hashes/sha2.js';
import type { GovProposalRecord } from '../../archive/govRecords.ts';
import type { ProposalRecord } from '../../archive/records.ts';
import type { FoundText, TextPlace } from '../../archive/store/textSearch.ts';
import { type TextKind, textKinds } from '../../archive/store/texts.ts';
import { searchTextMax } from '../../config/bounds.ts';
import { badInput, RequestError } from '../../reads/errors.ts';
import { hexOf } from '../../reads/input.ts';
import type { PageRequest } from '../../reads/page.ts';
import { type Pinned, pinOf } from '../../reads/pin.ts';
import { searchedWords } from '../../reads/words.ts';
import {
  type Builder,
  createRef,
  enumValues,
  type GraphQLContext,
  nonNull,
  rowsField,
  usesContext,
} from '../../schema/builder.ts';
import { addConnection, type Connection, connectionOf, pageRequest } from '../../schema/connection.ts';
import { addHeightFields } from '../../schema/entities.ts';
import { AccountRef } from '../account/schema.ts';
import { CoinRef } from '../bank/schema.ts';
import { GovProposalRef } from '../gov/schema.ts';
import { memberOf } from '../group/derived.ts';
import { createGroupLoaders } from '../group/query.ts';
import { GroupMemberRef, GroupPolicyRef, GroupRef, ProposalRef } from '../group/refs.ts';
import { NameRecordRef } from '../name/schema.ts';
import { govRecordStores, govRecordsAt } from '../records/govLoaders.ts';
import { GovProposalRecordRef } from '../records/govRefs.ts';
import { type RecordLoaders, readForRequest, recordStores, recordsAt } from '../records/loaders.ts';
import { ProposalRecordRef } from '../records/refs.ts';
import { ValidatorRef } from '../validators/schema.ts';
import { findInState, type SearchKind, type StateFinds, type StateResult, searchKinds } from './state.ts';

type Result =
  | StateResult
  | (ProposalRecord & { readonly __typename: 'ProposalRecord' })
  | (GovProposalRecord & { readonly __typename: 'GovProposalRecord' });

/** A result with its place in the list. */
type Placed = Result & { readonly searchPlace: Uint8Array };

interface SearchConnection extends Connection<Pinned<Placed>> {
  readonly isComplete: boolean;
  readonly note: string | null;
}

/** The kinds that the archive finds, if there is one. */
const recordedKinds: readonly SearchKind[] = textKinds;
const isRecorded = (kind: SearchKind): kind is TextKind => recordedKinds.includes(kind);

/** A place is a section and a number within it. What the state lists is section 0, where the number is an index. */
function placeBytes(section: number, number: bigint): Uint8Array {
  const bytes = Buffer.alloc(9);
  bytes.writeUInt8(section);
  bytes.writeBigUInt64BE(number, 1);
  return bytes;
}

function placeIn(key: Uint8Array): { readonly section: number; readonly number: bigint } {
  const bytes = Buffer.from(key);
  if (bytes.length !== 9)
    throw new RequestError('BAD_CURSOR', '`after` is not a cursor of this server.', { argument: 'after' });
  return { section: bytes.readUInt8(), number: bytes.readBigUInt64BE(1) };
}

/** The object of each text that the archive has found. One that the chain does not have any more is left out. */
async function resultOf(parent: Pinned<object>, text: FoundText, context: GraphQLContext): Promise<Placed | null> {
  const pin = pinOf(parent);
  const searchPlace = placeBytes(text.section + 1, text.id);
  switch (text.kind) {
    case 'PROPOSAL': {
      const loaders = await recordsAt(parent, context);
      const record = await loaders?.record.load(text.proposalId);
      return record ? { ...record, __typename: 'ProposalRecord', searchPlace } : null;
    }
    case 'GOV_PROPOSAL': {
      const loaders = await govRecordsAt(parent, context);
      const record = await loaders?.record.load(text.proposalId);
      return record ? { ...record, __typename: 'GovProposalRecord', searchPlace } : null;
    }
    case 'GROUP': {
      const group = await pin.loaders(createGroupLoaders).group.load(text.groupId);
      return group && { ...group, __typename: 'Group', searchPlace };
    }
    case 'GROUP_POLICY': {
      const policy = await pin.loaders(createGroupLoaders).groupPolicy.load(text.address);
      return policy && { ...policy, __typename: 'GroupPolicy', searchPlace };
    }
    case 'MEMBER': {
      const member = await memberOf(pin, text.groupId, text.address);
      return member && { ...member, __typename: 'GroupMember', searchPlace };
    }
  }
}

interface Search {
  readonly text: string;
  readonly words: readonly string[];
  readonly kinds: ReadonlySet<SearchKind>;
}

/** What the archive finds after a place: `limit` things at most. */
async function findInArchive(
  parent: Pinned<object>,
  { reader }: RecordLoaders,
  { words, kinds }: Search,
  limit: number,
  after: TextPlace | undefined,
  context: GraphQLContext,
): Promise<readonly Placed[]> {
  const asOf = pinOf(parent).heightOf([...recordStores, ...govRecordStores]);
  const textKinds = [...kinds].filter(isRecorded);
  const texts = await readForRequest(reader.texts({ words, kinds: textKinds }, { limit, after }, asOf));
  const results = await Promise.all(texts.map((text) => resultOf(parent, text, context)));
  return results.flatMap((result) => (result === null ? [] : [result]));
}

/** An address of another chain finds nothing, which the note explains. */
async function explained(read: Promise<StateFinds>): Promise<StateFinds & { readonly note: string | null }> {
  try {
    return { ...(await read), note: null };
  } catch (error) {
    if (!(error instanceof RequestError) || error.code !== 'BAD_USER_INPUT') throw error;
    return { items: [], isComplete: true, note: error.message };
  }
}

async function search(
  parent: Pinned<object>,
  searched: Search,
  { first, after }: Pick<PageRequest, 'first' | 'after'>,
  name: string,
  context: GraphQLContext,
): Promise<SearchConnection> {
  const pin = pinOf(parent);
  const archive = first === 0 ? null : await recordsAt(parent, context);
  const place = after === undefined ? undefined : placeIn(after.key);
  const stateKinds = archive === null ? searched.kinds : new Set([...searched.kinds].filter((kind) => !isRecorded(kind)));
  const state =
    first === 0 || (place !== undefined && place.section > 0)
      ? { items: [], isComplete: true, note: null }
      : await explained(findInState(parent, stateKinds, searched.text, searched.words));
  const skipped = place === undefined ? 0 : Number(place.number) + 1;
  // One more than asked for shows whether there is a next page.
  const items: Placed[] = state.items
    .map((item, index) => ({ ...item, searchPlace: placeBytes(0, BigInt(index)) }))
    .slice(skipped, skipped + first + 1);
  if (archive !== null && items.length <= first && first > 0) {
    const textPlace = place !== undefined && place.section > 0 ? { section: place.section - 1, id: place.number } : undefined;
    items.push(...(await findInArchive(parent, archive, searched, first + 1 - items.length, textPlace, context)));
  }
  const page = {
    items: items.slice(0, first),
    placeAt: () => undefined,
    hasNext: items.length > first,
    hasPrevious: after !== undefined,
    total: undefined,
  };
  const connection = connectionOf(pin, name, page, ({ searchPlace }: Placed) => searchPlace);
  return Object.assign(connection, { isComplete: state.isComplete, note: state.note });
}

/** The kinds in their own order, each once. All of them without a choice. */
function kindsOf(chosen: readonly SearchKind[] | null | undefined): ReadonlySet<SearchKind> {
  return new Set(chosen == null ? searchKinds : searchKinds.filter((kind) => chosen.includes(kind)));
}

/** Adds `Query.search`. */
export function addSearch(builder: Builder): void {
  const SearchKindEnum = builder.enumType('SearchKind', {
    description: 'What a search looks for.',
    values: enumValues(searchKinds, {
      ACCOUNT: 'The account with this address.',
      NAME: 'The bound name that equals the text.',
      VALIDATOR: 'Validators by their name, and by an address of an operator or of a consensus key.',
      TOKEN: 'Denoms with a supply, by the denom and by the texts of their metadata.',
      GROUP: 'Groups by the texts of their metadata.',
      GROUP_POLICY: 'Group policies by the texts of their metadata and by their address.',
      MEMBER: 'Members of groups by the texts of their metadata and by their address.',
      PROPOSAL: 'Proposals of group policies by their title and summary.',
      GOV_PROPOSAL: 'Proposals of the governance module by their title and summary.',
    }),
  });
  const SearchResultRef = builder.unionType('SearchResult', {
    description:
      'Something that a search has found. Proposals are records with an archive, and else the proposals that the state has. A token is its supply.',
    types: [
      ...[
        AccountRef,
        NameRecordRef,
        ValidatorRef,
        CoinRef,
        GroupRef,
        GroupPolicyRef,
        GroupMemberRef,
        ProposalRef,
        GovProposalRef,
      ],
      ...[ProposalRecordRef, GovProposalRecordRef],
    ],
    resolveType: (result) => ('__typename' in result && typeof result.__typename === 'string' ? result.__typename : undefined),
  });
  const SearchConnectionRef = createRef<SearchConnection>('SearchConnection');
  addConnection(builder, SearchResultRef, SearchConnectionRef, 'results of a search');
  builder.objectFields(SearchConnectionRef, (t) => ({
    isComplete: t.exposeBoolean('isComplete', {
      nullable: false,
      description:
        'False if a list of the state is longer than what a search reads of it, so that there may be more. Items of `first` 0 are not searched.',
    }),
    note: t.exposeString('note', {
      description: 'Why an address finds no account: it is one of another chain. null for other texts.',
    }),
  }));
  addHeightFields(builder, (t) => ({
    search: t.field({
      ...nonNull(
        SearchConnectionRef,
        'derived: what has all words of `text`, each as the beginning of a word, in any case and without regard to accents. At most 8 words are used. Kinds come in\ntheir own order, proposals with the words in the title before others, and within that the newest first. Groups, policies, members and proposals are found in the archive,\nalso after the chain has deleted them; without one, among the first lists of the state. Tokens, names and validators are those of the state.',
      ),
      extensions: rowsField({ points: 20 }),
      args: {
        text: t.arg.string({ required: true }),
        kinds: t.arg({ type: [SearchKindEnum] }),
        first: t.arg.int({ defaultValue: 20 }),
        after: t.arg.string(),
      },
      resolve: usesContext((root, { text: entered, kinds: chosen, ...args }, context, info) => {
        const text = entered.trim();
        if (text === '' || text.length > searchTextMax)
          throw badInput('text', entered, `1 to ${searchTextMax} characters that are not blank`);
        const kinds = kindsOf(chosen);
        const name = `search/${hexOf(sha256(Buffer.from(`${[...kinds].join()} ${text}`)).subarray(0, 8))}`;
        const request = pageRequest(pinOf(root), name, args, info, ['isComplete', 'note']);
        return search(root, { text, words: searchedWords(text), kinds }, request, name, context);
      }),
    }),
  }));
}
