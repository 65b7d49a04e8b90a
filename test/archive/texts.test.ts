import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Fact, GroupFact, PolicyFact, ProposalFact } from '../../src/archive/facts.ts';
import { type ArchiveReader, createArchiveReader } from '../../src/archive/store/reader.ts';
import type { TextPlace } from '../../src/archive/store/textSearch.ts';
import { type TextKind, textKinds } from '../../src/archive/store/texts.ts';
import { searchedWords } from '../../src/reads/words.ts';
import { type PlainArchive, postgresArchive, sqliteArchive } from '../support/archive/databases.ts';
import { hasPostgres, postgresNote } from '../support/archive/postgres.ts';

const place = (height: bigint) => ({ height, order: 0, time: height * 1_000_000_000n, hash: null });

const proposal = (id: bigint, title: string, summary: string, height: bigint): ProposalFact => ({
  ...{ kind: 'proposal', id, groupPolicyAddress: 'policy1', groupId: 1n, groupVersion: 1n, groupPolicyVersion: 1n },
  ...{ title, summary, metadata: '', messages: [], proposers: ['alice'], submitTime: height, votingPeriodEnd: 99n },
  submitted: place(height),
});

const group = (
  version: bigint,
  metadata: string,
  members: readonly (readonly [string, string])[],
  height: bigint,
): GroupFact => ({
  ...{ kind: 'group', groupId: 1n, version, at: place(height), change: 'members', account: 'alice', admin: 'alice', metadata },
  totalWeight: '1',
  members: members.map(([address, name]) => ({ address, weight: '1', metadata: name })),
});

const policy = (version: bigint, address: string, metadata: string, height: bigint): PolicyFact => ({
  ...{ kind: 'policy', groupId: 1n, version, address, metadata, at: place(height), change: 'metadata', account: 'alice' },
  ...{ admin: 'alice', decisionPolicy: { type: 'rule', value: new Uint8Array() } },
});

const govProposal = (id: bigint, title: string, height: bigint): Fact => ({
  ...{ kind: 'govProposal', id, proposer: 'alice', title, summary: '', metadata: '', messages: [], expedited: false },
  ...{ submitTime: height, depositEndTime: null, submitted: place(height) },
});

function itFindsWords(open: () => Promise<PlainArchive>): void {
  let archive: PlainArchive;
  let reader: ArchiveReader;
  let height = 1n;

  async function record(...facts: readonly Fact[]): Promise<void> {
    height += 1n;
    await archive.record({ height, hash: `H${height}`, previousHash: `H${height - 1n}`, facts });
  }

  /** What a text finds, as `kind/section/number`, read in pages of two. */
  async function find(text: string, kinds: readonly TextKind[] = textKinds, asOf = height): Promise<readonly string[]> {
    const lines: string[] = [];
    let after: TextPlace | undefined;
    for (;;) {
      const page = await reader.texts({ words: searchedWords(text), kinds }, { limit: 2, after }, asOf);
      for (const item of page)
        lines.push(`${item.kind} ${'proposalId' in item ? item.proposalId : 'address' in item ? item.address : item.groupId}`);
      after = page.at(-1);
      if (page.length < 2) return lines;
    }
  }

  beforeEach(async () => {
    archive = await open();
    reader = createArchiveReader(archive, 'GOVERNANCE');
    height = 1n;
    await archive.begin({ height, hash: 'H1', facts: [] });
  });

  afterEach(() => archive.close());

  it('finds proposals by beginnings of words, titles first, the newest of them first', async () => {
    await record(proposal(1n, 'Pay the invoice', 'of the caf\u00e9', 2n), proposal(2n, 'Budget', 'Pay later', 2n));
    await record(proposal(3n, 'PAYMENTS in 2027', '', 3n), govProposal(1n, 'Pay deposits', 3n));
    expect(await find('pay')).toEqual(['PROPOSAL 3', 'PROPOSAL 1', 'GOV_PROPOSAL 1', 'PROPOSAL 2']);
    expect(await find('pay', ['PROPOSAL'])).toEqual(['PROPOSAL 3', 'PROPOSAL 1', 'PROPOSAL 2']);
    // Every word counts, in any order, also when they are in the title and in the summary; accents do not count.
    expect(await find('CAFE inv')).toEqual(['PROPOSAL 1']);
    expect(await find('caf\u00c9')).toEqual(['PROPOSAL 1']);
    expect(await find('ay')).toEqual([]);
    expect(await find('pay 2027 nothing')).toEqual([]);
    // No character has a meaning of its own.
    expect(await find(`pay"* OR 'x':* & (`)).toEqual([]);
    expect(await find('"pay" -')).toHaveLength(4);
    expect(await find('-- !')).toEqual([]);
  });

  it('leaves out what was recorded after the height', async () => {
    await record(proposal(1n, 'Pay one', '', 2n));
    await record(proposal(2n, 'Pay two', '', 3n));
    expect(await find('pay', textKinds, 2n)).toEqual(['PROPOSAL 1']);
  });

  it('finds groups and members by the names that they have at the height', async () => {
    await record(
      group(
        1n,
        '{"name":"Old council"}',
        [
          ['tp1alice', 'Alice'],
          ['tp1bob', '{"name":"Bob"}'],
        ],
        2n,
      ),
    );
    await record(
      group(
        2n,
        '{"name":"New council"}',
        [
          ['tp1alice', 'Alice'],
          ['tp1carol', 'Bobby'],
        ],
        3n,
      ),
    );
    expect(await find('council')).toEqual(['GROUP 1']);
    expect([await find('old'), await find('old', textKinds, 2n)]).toEqual([[], ['GROUP 1']]);
    expect([await find('bob'), await find('bob', textKinds, 2n)]).toEqual([['MEMBER tp1carol'], ['MEMBER tp1bob']]);
    // The names of the fields are no words.
    expect(await find('name')).toEqual([]);
    expect(await find('tp1al')).toEqual(['MEMBER tp1alice']);
  });

  it('finds group policies by the names that they have at the height, between groups and members', async () => {
    await record(group(1n, 'Grants', [['tp1alice', 'Grants officer']], 2n), policy(1n, 'tp1board', 'Small grants', 2n));
    // A member may have the address and the metadata of a policy.
    await record(
      group(2n, 'Grants', [['tp1board', 'Small grants']], 3n),
      policy(1n, 'tp1other', '{"name":"Large grants"}', 3n),
    );
    await record(policy(2n, 'tp1board', 'Treasury', 4n));
    expect(await find('grants', textKinds, 2n)).toEqual(['GROUP 1', 'GROUP_POLICY tp1board', 'MEMBER tp1alice']);
    expect(await find('grants')).toEqual(['GROUP 1', 'GROUP_POLICY tp1other', 'MEMBER tp1board']);
    expect([await find('small', ['GROUP_POLICY']), await find('treas')]).toEqual([[], ['GROUP_POLICY tp1board']]);
  });

  it('keeps a proposal once, however often it is recorded', async () => {
    await record(proposal(1n, 'Pay', '', 2n));
    await record({ ...proposal(1n, 'Pay', '', 2n), submitted: null });
    expect(await find('pay')).toEqual(['PROPOSAL 1']);
  });
}

describe('the index of words in SQLite', () => itFindsWords(sqliteArchive));

describe.skipIf(!hasPostgres)(`the index of words in PostgreSQL${postgresNote}`, () => itFindsWords(postgresArchive));
