import type { JsonValue } from '../../chain/wire/json.ts';
import { DatabaseError } from '../database/connection.ts';
import { bytesAt } from '../database/row.ts';
import { sql } from '../database/sql.ts';
import type { AccountRole, IndexPage, IndexSearch, TransactionKey } from '../full/indexSearch.ts';
import { type Read, tagId } from '../full/matchingPlaces.ts';
import { itemOfPlace, readPlaces } from '../full/places.ts';
import type { ArchiveReads } from './archiveStore.ts';

/** A page of the transactions of an account. */
export interface AccountTransactions {
  /** Results of `tx_search`, one more than the page has if there is a next page. */
  readonly items: readonly JsonValue[];
  readonly total: bigint;
}

/**
 * Reads a page of the transactions of an account up to a height, newest first, or with `reverse` oldest first. Rejects with a `DatabaseError` if a search
 * needs too many rows.
 */
export async function readAccountTransactions(
  { scan, search, signal }: Pick<ArchiveReads, 'search' | 'scan'> & { readonly signal: AbortSignal | undefined },
  { address, role, asOf }: { readonly address: string; readonly role: AccountRole; readonly asOf: bigint },
  { first, reverse, count }: { readonly first: number; readonly reverse: boolean; readonly count: boolean },
  after: TransactionKey | undefined,
): Promise<AccountTransactions> {
  const read: Read = ({ text, values }) => scan(text, values, signal);
  const whole: IndexSearch = {
    kind: 'account',
    conditions: [{ tag: role, operator: '=', argument: { type: 'string', text: address } }],
    hash: undefined,
    low: 1n,
    high: asOf,
    newestFirst: !reverse,
    offset: 0,
    limit: 0,
    prove: false,
  };

  /** Number of the account's transactions in the block of the key, up to the key. */
  async function passed({ height, index }: TransactionKey): Promise<number> {
    const tag = await tagId(read, 'account', role);
    if (tag === undefined) return 0;
    const [row] = await read(
      sql`SELECT places FROM event_values WHERE tag = ${tag} AND value = ${address} AND height = ${height}`,
    );
    const items = row === undefined ? [] : readPlaces(bytesAt(row, 'places')).map(itemOfPlace);
    return items.filter((item) => (reverse ? item <= index : item >= index)).length;
  }

  const window =
    after === undefined
      ? whole
      : {
          ...whole,
          ...(reverse ? { low: after.height } : { high: after.height < asOf ? after.height : asOf }),
          offset: await passed(after),
        };
  async function found(wanted: IndexSearch): Promise<IndexPage> {
    const page = await search(wanted, signal);
    if (page === null) throw new DatabaseError('FAILED', 'the account has too many transactions to count them');
    return page;
  }

  const [page, all] = await Promise.all([
    first === 0 ? null : found({ ...window, limit: first + 1 }),
    count && (after !== undefined || first === 0) ? found(whole) : null,
  ]);
  const items: JsonValue[] = page === null ? [] : JSON.parse(page.items);
  return { items, total: (all ?? page)?.total ?? 0n };
}
