import { describe, expect, it } from 'vitest';
import { computed, plans, UnplannedRequest } from '../../packages/verify/src/plans/index.ts';
import { Message } from '../../packages/verify/src/plans/wire.ts';
import { runsAll, some } from '../support/atRandom.ts';
import {
  answerOf,
  answerText,
  hexOf,
  outcomeText,
  type PlanQuery,
  planContents,
  planContext,
  planQueries,
  readsOf,
  recordedText,
} from './planWorld.ts';

const methods = [...new Set(planQueries.map(({ path }) => path))];
const bytes = (hex: string): Uint8Array => new Uint8Array(Buffer.from(hex, 'hex'));

/** Whether no plan covers a request. */
const isUnplanned = (query: PlanQuery): boolean => outcomeText(query, readsOf(planContents)).startsWith('not planned');

describe('The answer that a plan computes from the stores', () => {
  it('is recorded for every plan', () => {
    expect(methods.toSorted()).toEqual([...plans.keys()].toSorted());
  });

  it.each(some(methods, 3))('of %s has the bytes of each recorded one', (method) => {
    const queries = planQueries.filter((query) => query.path === method && !isUnplanned(query));
    expect(queries.length).toBeGreaterThan(0);
    for (const query of queries)
      expect([query.request, outcomeText(query, readsOf(planContents))]).toEqual([query.request, recordedText(query)]);
  });

  it('is missing for the coins of a vesting account, and where versions of the chain differ', () => {
    const paths = planQueries.filter(isUnplanned).map(({ path }) => path);
    expect(paths).toEqual(['/cosmos.bank.v1beta1.Query/SpendableBalances', '/provenance.marker.v1.Query/AllMarkers']);
  });

  it('is the same with reads that are waited for, and with more rows than were asked for', async () => {
    const held = readsOf(planContents);
    const reads = {
      get: async (store: string, key: Uint8Array) => held.get(store, key),
      range: async (store: string, prefix: Uint8Array) => held.range(store, prefix, {}),
    };
    for (const query of planQueries.filter((_, at) => at % 10 === 0 && !isUnplanned(planQueries[at]!))) {
      const answer = await computed(plans.get(query.path)!.answer(bytes(query.request), planContext), reads);
      expect(answerText(answer)).toBe(recordedText(query));
    }
  });

  it('of a page reads the rows of the page, and one more', () => {
    // Of four votes: no page, the default, two, two with a total, the second, one in reverse order, which the module ignores.
    const path = '/cosmos.group.v1.Query/VotesByProposal';
    const rowsRead = (request: string) => {
      const keys = new Set<string>();
      answerOf(
        { path, request },
        readsOf(planContents, (_, key) => keys.add(key)),
      );
      return keys.size;
    };
    const pages = ['', '1200', '12021802', '120418022001', '120410011801', '120418012801'];
    expect(pages.map((page) => rowsRead(`0802${page}`))).toEqual([4, 4, 3, 4, 3, 2]);
  });

  it('does not exist if a read is not proven', () => {
    const query = planQueries.find(({ path }) => path.endsWith('VotesByProposal'))!;
    const refusal = () => {
      throw new Error('not proven');
    };
    expect(() => answerOf(query, { get: refusal, range: refusal })).toThrow('not proven');
  });

  it('of attributes has none that has expired', () => {
    const query = planQueries.find(({ path, request }) => path.endsWith('/Attributes') && expiring(request))!;
    const count = (time: bigint) => {
      const answer = answerOf(query, readsOf(planContents), { ...planContext, time });
      return 'value' in answer ? new Message(answer.value).all(2).length : -1;
    };
    const expiration = BigInt(Date.parse('2040-01-02T03:04:05Z')) * 1_000_000n;
    expect([count(expiration - 1n), count(expiration + 1n)]).toEqual([5, 4]);
    // Versions of the chain differ at this very time.
    expect(() => count(expiration)).toThrow(UnplannedRequest);
  });
});

/** Whether a request asks for the attributes of an account one of whose attributes has an expiration date. */
function expiring(request: string): boolean {
  const answer = answerOf({ path: '/provenance.attribute.v1.Query/Attributes', request }, readsOf(planContents));
  return 'value' in answer && new Message(answer.value).all(2).some((attribute) => new Message(attribute).has(5));
}

/** The field of the page request by method. */
function pageField(path: string): number {
  if (path.startsWith('/provenance.metadata') || path.endsWith('AttributeAccounts')) return 99;
  if (/TotalSupply$|DenomsMetadata$/.test(path)) return 1;
  return /Attribute$|Scan$/.test(path) ? 3 : 2;
}

/** Methods that return no list, in which a field with the number of a page request is something else. */
const withoutPages = /Balance$|VoteByProposalVoter$|Allowance$|Delegation$|GroupInfo$|Resolve$|SupplyOf$/;

/** A whole answer shows all rows of its list. */
const isWhole = ({ path, request, code }: PlanQuery): boolean =>
  code === 0 && (withoutPages.test(path) || !new Message(bytes(request)).has(pageField(path)));

type Change = 'drop' | 'change' | 'swap';

/**
 * Rows of which an answer has not everything, so that some changes do not show: by method, store and first byte of the key. An entry of an index counts for
 * its key alone; a marker, a validator and parameters count in part; a filter leaves rows out, whose absence does not show.
 */
const inPart: Readonly<Record<string, readonly Change[]>> = {
  // A proposal counts for its id, status and policy; a policy for its group; a vote for its voter and option; a member for its weight, if it voted.
  'TallyResult group 30': ['change'],
  'TallyResult group 20': ['change'],
  'TallyResult group 40': ['drop', 'change', 'swap'],
  'TallyResult group 10': ['drop', 'change', 'swap'],
  'SpendableBalances acc 01': ['drop', 'change'],
  // All of a coin is on hold, so that one more changes nothing.
  'SpendableBalances hold 00': ['change'],
  'Scan attribute 02': ['drop', 'change', 'swap'],
  'AccountData attribute 02': ['change'],
  'AttributeAccounts attribute 03': ['change', 'swap'],
  'Resolve name 06': ['change'],
  'ReverseLookup name 05': ['change'],
  'Supply acc 01': ['change'],
  'Escrow acc 01': ['change'],
  'Access acc 01': ['change'],
  'NetAssetValues acc 01': ['change'],
  'Holding acc 01': ['change'],
  'Ownership metadata 17': ['change'],
  'ValueOwnership bank 02': ['change'],
  'AllowancesByGranter feegrant 00': ['drop', 'change', 'swap'],
  'Validators staking 21': ['drop', 'change', 'swap'],
  'ValidatorDelegations staking 21': ['change'],
  'ValidatorDelegations staking 51': ['change'],
  'Delegation staking 21': ['change'],
  'Delegation staking 51': ['change'],
  'DelegatorDelegations staking 21': ['change'],
  'DelegatorDelegations staking 51': ['change'],
  'DelegatorValidators staking 31': ['change', 'swap'],
};

/** The contents with other rows in a store. */
function edited(store: string, edit: (rows: Map<string, Uint8Array>) => void) {
  const rows = new Map(planContents.get(store));
  edit(rows);
  return readsOf(new Map([...planContents, [store, rows]]));
}

/** The changes of the rows which a query reads that do not change its answer, as keys of the table. */
function silentChanges(query: PlanQuery): { readonly silent: ReadonlySet<string>; readonly tries: number } {
  const seen = new Map<string, readonly [store: string, key: string]>();
  const answer = outcomeText(
    query,
    readsOf(planContents, (store, key) => seen.set(`${store} ${key}`, [store, key])),
  );
  const rows = [...seen.values()];
  const silent = new Set<string>();
  let tries = 0;
  const attempt = (change: Change, store: string, key: string, edit: (rows: Map<string, Uint8Array>) => void) => {
    tries++;
    if (outcomeText(query, edited(store, edit)) !== answer) return;
    silent.add(`${query.path.replace(/.*\//, '')} ${store} ${key.slice(0, 2)}: ${change}`);
  };
  for (const [store, key] of rows) {
    const value = planContents.get(store)!.get(key)!;
    // What a filter leaves out is not in the answer; what it lets through has to be there.
    const isShown = Buffer.from(answer, 'base64').includes(Buffer.from(value));
    const filters = /Scan$|AllowancesByGranter$|\/Validators$/.test(query.path);
    if (!filters || isShown) attempt('drop', store, key, (all) => all.delete(key));
    if (value.length > 0) attempt('change', store, key, (all) => all.set(key, value.with(value.length - 1, value.at(-1)! ^ 1)));
    const other = rows.find(
      ([place, name]) =>
        place === store && name.slice(0, 2) === key.slice(0, 2) && hexOf(planContents.get(store)!.get(name)!) !== hexOf(value),
    );
    if (other !== undefined)
      attempt('swap', store, key, (all) => all.set(key, planContents.get(store)!.get(other[1])!).set(other[1], value));
  }
  return { silent, tries };
}

describe('A changed row', () => {
  it.runIf(runsAll)('changes each whole answer that shows it, or the plan throws', () => {
    const silent = new Set<string>();
    let tries = 0;
    for (const query of planQueries.filter((query) => isWhole(query) && !isUnplanned(query))) {
      const changes = silentChanges(query);
      tries += changes.tries;
      for (const change of changes.silent) silent.add(change);
    }
    const allowed = Object.entries(inPart).flatMap(([rows, changes]) => changes.map((change) => `${rows}: ${change}`));
    expect([...silent].filter((change) => !allowed.includes(change))).toEqual([]);
    expect(tries).toBeGreaterThan(1800);
  });

  it('changes the tally if it is the vote of a member, its option, or the weight of a member who voted', () => {
    let tries = 0;
    for (const query of planQueries.filter(({ path, code }) => path.endsWith('TallyResult') && code === 0)) {
      const reads: (readonly [string, string])[] = [];
      const answer = outcomeText(
        query,
        readsOf(planContents, (store, key) => reads.push([store, key])),
      );
      const messageAt = (key: string) => new Message(planContents.get('group')!.get(key)!);
      const keysOf = (table: string) => reads.map(([, key]) => key).filter((key) => key.startsWith(table));
      const members = new Map(keysOf('1000').map((key) => [messageAt(key).message(2).text(1), key]));
      for (const key of keysOf('4000').filter((vote) => members.has(messageAt(vote).text(2)))) {
        const vote = messageAt(key);
        const option = vote.withField(3, Uint8Array.of(0x18, Number(vote.uint(3) % 4n) + 1));
        const memberKey = members.get(vote.text(2))!;
        const member = messageAt(memberKey)
          .message(2)
          .withField(2, Uint8Array.of(0x12, 1, 0x39));
        const edits: ((rows: Map<string, Uint8Array>) => void)[] = [
          (rows) => rows.delete(key),
          (rows) => rows.set(key, option),
          (rows) => rows.delete(memberKey),
          (rows) => rows.set(memberKey, messageAt(memberKey).withField(2, Uint8Array.of(0x12, member.length, ...member))),
        ];
        for (const edit of edits) {
          tries++;
          expect(outcomeText(query, edited('group', edit))).not.toBe(answer);
        }
      }
    }
    expect(tries).toBeGreaterThan(40);
  });
});
