import { readableText, wordsOf } from '../../reads/words.ts';
import {
  type Connection,
  type Dialect,
  groupedBy,
  integerAt,
  mostRows,
  portions,
  type Row,
  type Sql,
  type SqlValue,
  sql,
  textAt,
} from '../database/database.ts';
import type { RecordedMember } from '../facts.ts';

/** What the archive finds by words. The order is part of the stored format. */
export const textKinds = ['PROPOSAL', 'GOV_PROPOSAL', 'GROUP', 'MEMBER', 'GROUP_POLICY'] as const;
export type TextKind = (typeof textKinds)[number];

/** Ids of texts: a proposal's is its own id after the base of its kind, so newer proposals have higher ids. */
const idBits = 52n;

/** The id of the first text of a kind, and of the first one that belongs to the next kind. */
export function idRange(kind: TextKind): readonly [from: bigint, to: bigint] {
  const index = BigInt(textKinds.indexOf(kind));
  return [index << idBits, (index + 1n) << idBits];
}

/** A text of which the words are indexed: those of the title, and the others. */
interface IndexedText {
  readonly id: bigint;
  readonly title: string;
  readonly body: string;
}

const plain = (text: string): Sql => ({ text, values: [] });

/** The name of the column with the id of a text. SQLite's index has no other column than those of words. */
const idColumns = { sqlite: plain('search_texts.rowid'), postgres: plain('search_texts.id') } satisfies Record<Dialect, Sql>;
export const textIdIn = (dialect: Dialect): Sql => idColumns[dialect];

/**
 * The condition that a text of a kind has words with these beginnings: all of them in its title, or else all of them in the whole text and not all in the title. The
 * words consist of letters and digits alone.
 */
export function hasTextWords(dialect: Dialect, kind: TextKind, words: readonly string[], where: 'title' | 'rest'): Sql {
  if (dialect === 'sqlite') {
    const all = `(${words.map((word) => `"${word}"*`).join(' AND ')})`;
    return sql`search_texts MATCH ${where === 'title' ? `{title} : ${all}` : `${all} NOT ({title} : ${all})`}`;
  }
  const all = words.map((word) => `'${word}':*`).join(' & ');
  const ids = plain(idsOf(kind).replaceAll('id ', 'search_texts.id '));
  return where === 'title'
    ? sql`${ids} AND search_texts.title @@ CAST(${all} AS TSQUERY)`
    : sql`${ids} AND search_texts.words @@ CAST(${all} AS TSQUERY) AND NOT search_texts.title @@ CAST(${all} AS TSQUERY)`;
}

/** The condition that a text of PostgreSQL is of a kind, with numbers instead of parameters, so that the planner sees which index has it. */
function idsOf(kind: TextKind): string {
  const [from, to] = idRange(kind);
  return `id >= ${from} AND id < ${to}`;
}

const titleIndex = (kind: TextKind): string =>
  `CREATE INDEX search_texts_title_${kind} ON search_texts USING gin (title) WHERE ${idsOf(kind)}`;

/** The tables: FTS5 in SQLite, and text search vectors in PostgreSQL. Both hold the words of `wordsOf`, so they find the same. */
const tables: Readonly<Record<Dialect, readonly string[]>> = {
  sqlite: ["CREATE VIRTUAL TABLE search_texts USING fts5(title, body, content='', detail=column, prefix='1 2 3')"],
  postgres: [
    'CREATE TABLE search_texts (id BIGINT PRIMARY KEY, title TSVECTOR NOT NULL, words TSVECTOR NOT NULL)',
    // An index for each kind, because a word may be frequent in one kind and rare in another.
    ...textKinds.map(titleIndex),
    ...(['PROPOSAL', 'GOV_PROPOSAL'] as const).map(
      (kind) => `CREATE INDEX search_texts_words_${kind} ON search_texts USING gin (words) WHERE ${idsOf(kind)}`,
    ),
  ],
};

const placeholders = (count: number, one: string): string => Array.from({ length: count }, () => one).join(', ');

/** Adds texts. One with an id that is stored stays as it is: the text of a proposal never changes. */
async function storeTexts(connection: Connection, texts: readonly IndexedText[]): Promise<void> {
  const isSqlite = connection.dialect === 'sqlite';
  const id = isSqlite ? 'rowid' : 'id';
  const vector = 'array_to_tsvector(string_to_array(CAST(? AS TEXT), CHR(32)))';
  for (const portion of portions([...new Map(texts.map((text) => [text.id, text])).values()], mostRows)) {
    const stored = await connection.run(
      `SELECT ${id} AS id FROM search_texts WHERE ${id} IN (${placeholders(portion.length, '?')})`,
      portion.map((text) => text.id),
    );
    const storedIds = new Set(stored.map((row) => integerAt(row, 'id')));
    for (const fresh of portions(
      portion.filter((text) => !storedIds.has(text.id)),
      mostRows,
    )) {
      const values = fresh.flatMap(({ id: textId, title, body }): SqlValue[] => {
        const words = wordsOf(title);
        const others = wordsOf(body);
        return [textId, words.join(' '), (isSqlite ? others : [...new Set([...words, ...others])]).join(' ')];
      });
      await connection.run(
        isSqlite
          ? `INSERT INTO search_texts (rowid, title, body) VALUES ${placeholders(fresh.length, '(?, ?, ?)')}`
          : `INSERT INTO search_texts (id, title, words) VALUES ${placeholders(fresh.length, `(?, ${vector}, ${vector})`)}`,
        values,
      );
    }
  }
}

/** Rows of proposals of either kind. */
export const proposalTexts = (kind: 'PROPOSAL' | 'GOV_PROPOSAL', rows: readonly Readonly<Row>[]): readonly IndexedText[] =>
  rows.map((row) => ({
    id: idRange(kind)[0] + integerAt(row, 'id'),
    title: textAt(row, 'title'),
    body: textAt(row, 'summary'),
  }));

/** Indexes the words of proposals, within the caller's transaction. */
export const storeProposalTexts = (
  connection: Connection,
  kind: 'PROPOSAL' | 'GOV_PROPOSAL',
  rows: readonly Readonly<Row>[],
): Promise<void> => storeTexts(connection, proposalTexts(kind, rows));

/** A version of a group, with its members if they are known. */
export interface NamedGroup {
  readonly groupId: bigint;
  readonly metadata: string;
  readonly members: readonly Pick<RecordedMember, 'address' | 'metadata'>[] | null;
}

const namedKinds = ['GROUP', 'MEMBER', 'GROUP_POLICY'] as const satisfies readonly TextKind[];

interface Name {
  readonly kind: (typeof namedKinds)[number];
  /** Empty for the name of the group. */
  readonly address: string;
  readonly metadata: string;
}

const nameKey = ({ address, metadata }: Pick<Name, 'address' | 'metadata'>): string => `${address}\n${metadata}`;

/** Indexes names of a group, within the caller's transaction: each metadata once, whichever versions have it. */
async function storeNames(connection: Connection, groupId: bigint, names: readonly Name[]): Promise<void> {
  for (const kind of namedKinds) {
    const ofKind = names.filter((name) => name.kind === kind);
    if (ofKind.length === 0) continue;
    const [from, to] = idRange(kind);
    const rows = await connection.run('SELECT address, metadata FROM search_names WHERE group_id = ? AND id >= ? AND id < ?', [
      groupId,
      from,
      to,
    ]);
    const storedNames = new Set(
      rows.map((row) => nameKey({ address: textAt(row, 'address'), metadata: textAt(row, 'metadata') })),
    );
    const distinctNames = new Map(ofKind.map((name) => [nameKey(name), name]));
    const fresh = [...distinctNames].flatMap(([key, name]) => (storedNames.has(key) ? [] : [name]));
    if (fresh.length === 0) continue;
    const [row] = await connection.run('SELECT max(id) AS last FROM search_names WHERE id >= ? AND id < ?', [from, to]);
    const last = row?.last;
    const next = typeof last === 'bigint' ? last + 1n : from;
    const numbered = fresh.map((name, index) => ({ ...name, id: next + BigInt(index) }));
    for (const portion of portions(numbered, mostRows))
      await connection.run(
        `INSERT INTO search_names (id, group_id, address, metadata) VALUES ${placeholders(portion.length, '(?, ?, ?, ?)')}`,
        portion.flatMap((name) => [name.id, groupId, name.address, name.metadata]),
      );
    await storeTexts(
      connection,
      numbered.map((name) => ({ id: name.id, title: `${readableText(name.metadata)} ${name.address}`, body: '' })),
    );
  }
}

/** Indexes the names of a group and of its members, as {@link storeNames}. */
export function storeGroupTexts(connection: Connection, { groupId, metadata, members }: NamedGroup): Promise<void> {
  return storeNames(connection, groupId, [
    { kind: 'GROUP', address: '', metadata },
    ...(members ?? []).map((member): Name => ({ kind: 'MEMBER', address: member.address, metadata: member.metadata })),
  ]);
}

/** Indexes the name of a group policy, as {@link storeNames}. */
export function storePolicyText(
  connection: Connection,
  { groupId, address, metadata }: { readonly groupId: bigint; readonly address: string; readonly metadata: string },
): Promise<void> {
  return storeNames(connection, groupId, [{ kind: 'GROUP_POLICY', address, metadata }]);
}

/** Indexes the group policies that an older version has stored, within the caller's transaction. */
async function indexPolicies(connection: Connection): Promise<void> {
  const rows = await connection.run(
    'SELECT address, group_id, metadata FROM policy_versions ORDER BY group_id, address, version',
    [],
  );
  for (const [groupId, policies] of groupedBy(rows, 'group_id'))
    await storeNames(
      connection,
      groupId,
      policies.map((row) => ({ kind: 'GROUP_POLICY', address: textAt(row, 'address'), metadata: textAt(row, 'metadata') })),
    );
}

/** Adds the group policies to an index of words that an older version made without them, within the caller's transaction. */
export async function addPolicyTexts(connection: Connection): Promise<void> {
  if (connection.dialect === 'postgres') await connection.run(titleIndex('GROUP_POLICY'), []);
  await indexPolicies(connection);
}

/** Rows of one step of {@link createTexts}. */
const step = 2_000n;

/** Creates the index of words and fills it from the records that an older version has stored, within the caller's transaction. */
export async function createTexts(connection: Connection): Promise<void> {
  for (const statement of tables[connection.dialect]) await connection.run(statement, []);
  for (const [kind, table] of [
    ['PROPOSAL', 'proposals'],
    ['GOV_PROPOSAL', 'gov_proposals'],
  ] as const) {
    for (let after = -1n; ; ) {
      const text = `SELECT id, title, summary FROM ${table} WHERE id > ? ORDER BY id LIMIT ${step}`;
      const rows = await connection.run(text, [after]);
      const last = rows.at(-1);
      if (last === undefined) break;
      await storeProposalTexts(connection, kind, rows);
      after = integerAt(last, 'id');
    }
  }
  const versions = await connection.run(
    'SELECT group_id, metadata, member_set FROM group_versions ORDER BY group_id, version',
    [],
  );
  for (const version of versions) {
    const members = await connection.run('SELECT address, metadata FROM members WHERE member_set = ?', [
      version.member_set ?? null,
    ]);
    await storeGroupTexts(connection, {
      groupId: integerAt(version, 'group_id'),
      metadata: textAt(version, 'metadata'),
      members: members.map((row) => ({ address: textAt(row, 'address'), metadata: textAt(row, 'metadata') })),
    });
  }
  await indexPolicies(connection);
}
