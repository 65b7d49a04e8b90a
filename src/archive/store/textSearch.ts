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

/** The part of the index that a section consists of. Names that its group does not have at the height, and later proposals, are left out. */
function sectionQuery(
  dialect: Dialect,
  { kind, where }: (typeof sections)[number],
  words: readonly string[],
  below: bigint | undefined,
  limit: number,
  asOf: bigint,
): Sql {
  const [from, to] = idRange(kind);
  const id = textIdIn(dialect);
  const selected = sql`${hasTextWords(dialect, words, where)} AND ${id} >= ${from} AND ${id} < ${below ?? to}`;
  const order = sql`ORDER BY ${id} DESC LIMIT ${BigInt(limit)}`;
  if (kind === 'PROPOSAL' || kind === 'GOV_PROPOSAL') {
    const table: Sql = { text: kind === 'PROPOSAL' ? 'proposals' : 'gov_proposals', values: [] };
    return sql`SELECT ${id} AS id, p.id AS proposal_id FROM search_texts JOIN ${table} p ON p.id = ${id} - ${from} AND p.seen <= ${asOf} WHERE ${selected} ${order}`;
  }
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
  if (kind === 'PROPOSAL' || kind === 'GOV_PROPOSAL') return { ...place, kind, proposalId: integerAt(row, 'proposal_id') };
  const groupId = integerAt(row, 'group_id');
  return kind === 'GROUP' ? { ...place, kind, groupId } : { ...place, kind, groupId, address: textAt(row, 'address') };
}

/** The first `limit` things after a place that have the words as of a height. A query for each section that is reached: 6 at most. */
export async function searchTexts(
  run: (query: Sql) => Promise<readonly Row[]>,
  dialect: Dialect,
  { words, kinds }: TextSearch,
  { limit, after }: { readonly limit: number; readonly after: TextPlace | undefined },
  asOf: bigint,
): Promise<readonly FoundText[]> {
  const items: FoundText[] = [];
  for (const [index, section] of sections.entries()) {
    if (items.length >= limit || words.length === 0) break;
    if (index < (after?.section ?? 0) || !kinds.includes(section.kind)) continue;
    const below = index === after?.section ? after.id : undefined;
    const rows = await run(sectionQuery(dialect, section, words, below, limit - items.length, asOf));
    items.push(...rows.map((row) => foundIn(row, index, section.kind)));
  }
  return items;
}
