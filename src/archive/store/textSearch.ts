import { type Dialect, integerAt, type Row, type Sql, sql, textAt } from '../database/database.ts';
import { hasTextWords, idRange, type TextKind, textIdIn } from './texts.ts';

/** Words to look for, and where. */
export interface TextSearch {
  /** Beginnings of words, as of `searchedWords`. At least one. */
  readonly words: readonly string[];
  readonly kinds: readonly TextKind[];
}

/** A place in the order of what a search finds. */
export interface TextPlace {
  /** The index of its section: first what is named so, then proposals with the words in their title, then those with the words elsewhere. */
  readonly section: number;
  readonly id: bigint;
}

/** Something that was found: a proposal by its id, a group, or a member of a group. */
export type FoundText = TextPlace &
  (
    | { readonly kind: 'PROPOSAL' | 'GOV_PROPOSAL'; readonly proposalId: bigint }
    | { readonly kind: 'GROUP'; readonly groupId: bigint }
    | { readonly kind: 'MEMBER'; readonly groupId: bigint; readonly address: string }
  );

/** The sections in their order. Within one, the newest is first. */
const sections = [
  { kind: 'GROUP', where: 'title' },
  { kind: 'MEMBER', where: 'title' },
  { kind: 'PROPOSAL', where: 'title' },
  { kind: 'GOV_PROPOSAL', where: 'title' },
  { kind: 'PROPOSAL', where: 'rest' },
  { kind: 'GOV_PROPOSAL', where: 'rest' },
] as const;

type Section = (typeof sections)[number];

/** The tables of proposals by kind. */
const proposalTables = {
  PROPOSAL: { text: 'proposals', values: [] },
  GOV_PROPOSAL: { text: 'gov_proposals', values: [] },
} as const satisfies Partial<Record<TextKind, Sql>>;

/** The ids of texts that a section may have: from the first, below the second. */
type Ids = readonly [from: bigint, below: bigint];

/** The newest ones of a section with the words. Names that their group does not have at the height are left out. */
function sectionQuery(
  dialect: Dialect,
  { kind, where }: Section,
  words: readonly string[],
  [from, below]: Ids,
  limit: number,
  asOf: bigint,
): Sql {
  const id = textIdIn(dialect);
  const selected = sql`${hasTextWords(dialect, kind, words, where)} AND ${id} >= ${from} AND ${id} < ${below}`;
  const order = sql`ORDER BY ${id} DESC LIMIT ${BigInt(limit)}`;
  // Without a join, PostgreSQL sees that words that are frequent are found fastest from the newest on.
  if (kind === 'PROPOSAL' || kind === 'GOV_PROPOSAL')
    return sql`SELECT ${id} AS id FROM search_texts WHERE ${selected} ${order}`;
  const isPresent =
    kind === 'GROUP'
      ? sql`v.metadata = n.metadata`
      : sql`EXISTS (SELECT 1 FROM members m WHERE m.member_set = v.member_set AND m.address = n.address AND m.metadata = n.metadata)`;
  return sql`SELECT ${id} AS id, n.group_id, n.address FROM search_texts JOIN search_names n ON n.id = ${id}
    JOIN group_versions v ON v.group_id = n.group_id
      AND v.version = (SELECT max(l.version) FROM group_versions l WHERE l.group_id = n.group_id AND l.seen <= ${asOf})
    WHERE ${selected} AND ${isPresent} ${order}`;
}

function foundIn(row: Row, section: number, kind: TextKind): FoundText {
  const place = { section, id: integerAt(row, 'id') };
  if (kind === 'PROPOSAL' || kind === 'GOV_PROPOSAL') return { ...place, kind, proposalId: place.id - idRange(kind)[0] };
  const groupId = integerAt(row, 'group_id');
  return kind === 'GROUP' ? { ...place, kind, groupId } : { ...place, kind, groupId, address: textAt(row, 'address') };
}

/**
 * The first `limit` things after a place that have the words as of a height. A query for each section that is reached, and one more for each kind of
 * proposals: 8 at most.
 */
export async function searchTexts(
  run: (query: Sql) => Promise<readonly Row[]>,
  dialect: Dialect,
  { words, kinds }: TextSearch,
  { limit, after }: { readonly limit: number; readonly after: TextPlace | undefined },
  asOf: bigint,
): Promise<readonly FoundText[]> {
  const ends = new Map<TextKind, bigint>();

  /** The end of the ids of a kind. Ids of proposals ascend in the order of submission, so those of later heights come after it. */
  async function endOf(kind: TextKind): Promise<bigint> {
    const [from, below] = idRange(kind);
    if (kind !== 'PROPOSAL' && kind !== 'GOV_PROPOSAL') return below;
    const keptEnd = ends.get(kind);
    if (keptEnd !== undefined) return keptEnd;
    const [row] = await run(sql`SELECT id FROM ${proposalTables[kind]} WHERE seen <= ${asOf} ORDER BY id DESC LIMIT 1`);
    const end = row === undefined ? from : from + integerAt(row, 'id') + 1n;
    ends.set(kind, end);
    return end;
  }

  const items: FoundText[] = [];
  for (const [index, section] of sections.entries()) {
    if (items.length >= limit || words.length === 0) break;
    if (index < (after?.section ?? 0) || !kinds.includes(section.kind)) continue;
    const [from] = idRange(section.kind);
    const end = await endOf(section.kind);
    const below = index === after?.section && after.id < end ? after.id : end;
    if (below <= from) continue;
    const rows = await run(sectionQuery(dialect, section, words, [from, below], limit - items.length, asOf));
    items.push(...rows.map((row) => foundIn(row, index, section.kind)));
  }
  return items;
}
