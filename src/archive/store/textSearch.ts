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

/** Something that was found: a proposal by its id, a group, or a member or a policy of a group. */
export type FoundText = TextPlace &
  (
    | { readonly kind: 'PROPOSAL' | 'GOV_PROPOSAL'; readonly proposalId: bigint }
    | { readonly kind: 'GROUP'; readonly groupId: bigint }
    | { readonly kind: 'MEMBER' | 'GROUP_POLICY'; readonly groupId: bigint; readonly address: string }
  );

/** The sections in their order. Within one, the newest is first. */
const sections = [
  { kind: 'GROUP', where: 'title' },
  { kind: 'GROUP_POLICY', where: 'title' },
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

/** The names that one statement looks up. With this bound, PostgreSQL looks each of them up instead of reading whole tables. */
const namesAtOnce = 200;

/** The newest ones of a section with the words. A name has the column `present`: whether its group or policy has it at the height. */
function sectionQuery(
  dialect: Dialect,
  { kind, where }: Section,
  words: readonly string[],
  [from, below]: Ids,
  limit: number,
  asOf: bigint,
): Sql {
  const id = textIdIn(dialect);
  const texts = sql`SELECT ${id} AS id FROM search_texts
    WHERE ${hasTextWords(dialect, kind, words, where)} AND ${id} >= ${from} AND ${id} < ${below} ORDER BY ${id} DESC LIMIT ${BigInt(limit)}`;
  if (kind === 'PROPOSAL' || kind === 'GOV_PROPOSAL') return texts;
  const isPresent =
    kind === 'MEMBER'
      ? sql`EXISTS (SELECT 1 FROM members m WHERE m.member_set = v.member_set AND m.address = n.address AND m.metadata = n.metadata)`
      : sql`v.metadata = n.metadata`;
  const version =
    kind === 'GROUP_POLICY'
      ? sql`policy_versions v ON v.address = n.address
          AND v.version = (SELECT max(l.version) FROM policy_versions l WHERE l.address = n.address AND l.seen <= ${asOf})`
      : sql`group_versions v ON v.group_id = n.group_id
          AND v.version = (SELECT max(l.version) FROM group_versions l WHERE l.group_id = n.group_id AND l.seen <= ${asOf})`;
  return sql`SELECT c.id, n.group_id, n.address, CASE WHEN ${isPresent} THEN 1 ELSE 0 END AS present
    FROM (${texts}) c JOIN search_names n ON n.id = c.id LEFT JOIN ${version} ORDER BY c.id DESC`;
}

function foundIn(row: Row, section: number, kind: TextKind): FoundText {
  const place = { section, id: integerAt(row, 'id') };
  if (kind === 'PROPOSAL' || kind === 'GOV_PROPOSAL') return { ...place, kind, proposalId: place.id - idRange(kind)[0] };
  const groupId = integerAt(row, 'group_id');
  return kind === 'GROUP' ? { ...place, kind, groupId } : { ...place, kind, groupId, address: textAt(row, 'address') };
}

/**
 * The first `limit` things after a place that have the words as of a height. A query for each section that is reached, and one more for each kind of
 * proposals, and for each 200 names that were replaced.
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

  /** The rows of a section, the newest first. Names that are not there at the height are skipped. */
  async function* rowsOf(section: Section, [from, below]: Ids): AsyncGenerator<Row> {
    const isNamed = section.kind !== 'PROPOSAL' && section.kind !== 'GOV_PROPOSAL';
    const size = isNamed ? namesAtOnce : limit;
    const rows = await run(sectionQuery(dialect, section, words, [from, below], size, asOf));
    for (const row of rows) if (!isNamed || integerAt(row, 'present') === 1n) yield row;
    const last = rows.at(-1);
    if (isNamed && last !== undefined && rows.length === size) yield* rowsOf(section, [from, integerAt(last, 'id')]);
  }

  const items: FoundText[] = [];
  for (const [index, section] of sections.entries()) {
    if (items.length >= limit || words.length === 0) break;
    if (index < (after?.section ?? 0) || !kinds.includes(section.kind)) continue;
    const [from] = idRange(section.kind);
    const end = await endOf(section.kind);
    const below = index === after?.section && after.id < end ? after.id : end;
    if (below <= from) continue;
    for await (const row of rowsOf(section, [from, below])) {
      items.push(foundIn(row, index, section.kind));
      if (items.length === limit) break;
    }
  }
  return items;
}
