import type { Dialect } from '../../../src/archive/database/database.ts';

/** The words that differ between the databases, as the versions had them. */
const words: Readonly<Record<Dialect, Readonly<Record<string, string>>>> = {
  sqlite: { int: 'INTEGER', text: 'TEXT', bytes: 'BLOB', clustered: ' WITHOUT ROWID', key: 'INTEGER PRIMARY KEY' },
  postgres: { int: 'BIGINT', text: 'TEXT COLLATE "C"', bytes: 'BYTEA', clustered: '', key: 'BIGINT PRIMARY KEY' },
};

const place = 'seen {int} NOT NULL, height {int}, ord {int} NOT NULL, time {int}, hash {text}';

/** What each version added to the one before. They are copies, because the tables that servers made do not change with the code. */
const additions: readonly (readonly string[])[] = [
  [
    'CREATE TABLE ranges (base {key}, until {int} NOT NULL, base_hash {text} NOT NULL, until_hash {text} NOT NULL)',
    'CREATE TABLE checkpoints (height {key}, hash {text} NOT NULL)',
    'CREATE TABLE present (base {int} NOT NULL, proposal_id {int} NOT NULL, PRIMARY KEY (base, proposal_id)){clustered}',

    `CREATE TABLE group_versions (group_id {int} NOT NULL, version {int} NOT NULL, ${place}, change {text} NOT NULL, account {text},
       admin {text} NOT NULL, metadata {text} NOT NULL, total_weight {text} NOT NULL, member_set {text}, PRIMARY KEY (group_id, version)){clustered}`,
    'CREATE INDEX group_versions_by_set ON group_versions (member_set, group_id)',
    `CREATE TABLE members (member_set {text} NOT NULL, address {text} NOT NULL, weight {text} NOT NULL, metadata {text} NOT NULL,
       PRIMARY KEY (member_set, address)){clustered}`,
    'CREATE INDEX members_by_address ON members (address, member_set)',
    `CREATE TABLE policy_versions (address {text} NOT NULL, version {int} NOT NULL, ${place}, change {text} NOT NULL, account {text},
       group_id {int} NOT NULL, admin {text} NOT NULL, metadata {text} NOT NULL, policy {text} NOT NULL, PRIMARY KEY (address, version)){clustered}`,

    `CREATE TABLE proposals (id {key}, ${place}, policy_address {text} NOT NULL, group_id {int}, group_version {int}, policy_version {int},
       title {text} NOT NULL, summary {text} NOT NULL, metadata {text} NOT NULL, messages {text} NOT NULL, proposers {text} NOT NULL,
       submit_time {int} NOT NULL, voting_end {text} NOT NULL, closed {int} NOT NULL)`,
    'CREATE INDEX proposals_by_height ON proposals (height, id)',
    'CREATE INDEX proposals_by_time ON proposals (submit_time, id)',
    'CREATE INDEX proposals_by_policy ON proposals (policy_address, id)',
    'CREATE INDEX proposals_by_group ON proposals (group_id, id)',
    'CREATE INDEX proposals_by_close ON proposals (closed, id)',
    'CREATE INDEX proposals_by_group_close ON proposals (group_id, closed, id)',
    'CREATE TABLE proposers (address {text} NOT NULL, proposal_id {int} NOT NULL, PRIMARY KEY (address, proposal_id)){clustered}',
    'CREATE TABLE message_types (type {text} NOT NULL, proposal_id {int} NOT NULL, PRIMARY KEY (type, proposal_id)){clustered}',

    `CREATE TABLE votes (proposal_id {int} NOT NULL, voter {text} NOT NULL, ${place}, option {int} NOT NULL, metadata {text} NOT NULL,
       origin {text} NOT NULL, PRIMARY KEY (proposal_id, voter)){clustered}`,
    'CREATE INDEX votes_by_place ON votes (proposal_id, time, ord, voter)',
    'CREATE INDEX votes_by_voter ON votes (voter, time, ord, proposal_id)',
    'CREATE INDEX votes_by_voter_proposal ON votes (voter, proposal_id)',

    `CREATE TABLE executions (proposal_id {int} NOT NULL, ${place}, executor {text}, result {int} NOT NULL, logs {text} NOT NULL,
       PRIMARY KEY (proposal_id, seen, ord)){clustered}`,
    'CREATE INDEX executions_by_result ON executions (result, proposal_id)',
    `CREATE TABLE closes (proposal_id {key}, ${place}, closing {text} NOT NULL, account {text}, status {int} NOT NULL, tally {text},
       group_version {int}, policy_version {int}, total_weight {text}, computed {text}, disagrees {int} NOT NULL)`,
    'CREATE INDEX closes_by_status ON closes (status, proposal_id)',
    'CREATE INDEX closes_that_disagree ON closes (proposal_id) WHERE disagrees = 1',
    `CREATE TABLE prunes (proposal_id {key}, ${place}, status {int})`,
    'CREATE INDEX prunes_by_status ON prunes (status, proposal_id)',
    `CREATE TABLE unexplained (what {text} NOT NULL, proposal_id {int} NOT NULL, ${place}, PRIMARY KEY (what, proposal_id, seen, ord)){clustered}`,
  ],
  [
    'CREATE TABLE indexed_ranges (base {key}, until {int} NOT NULL, transactions {int} NOT NULL)',
    'CREATE TABLE blocks (height {key}, time {int} NOT NULL, transactions {int} NOT NULL, content {bytes} NOT NULL)',
    'CREATE INDEX blocks_with_transactions ON blocks (height, transactions) WHERE transactions > 0',
    'CREATE TABLE transactions (id {key}, hash {bytes} NOT NULL, content {bytes} NOT NULL)',
    'CREATE INDEX transactions_by_hash ON transactions (hash)',
    'CREATE TABLE event_tags (id {key}, name {text} NOT NULL UNIQUE)',
    `CREATE TABLE event_values (tag {int} NOT NULL, value {text} NOT NULL, height {int} NOT NULL, items {int} NOT NULL, places {bytes} NOT NULL,
       PRIMARY KEY (tag, value, height)){clustered}`,
  ],
];

const second = 1_000_000_000n;
const tally = '["3","0","0","0"]';

/** The rows of a few proposals of the policy `policy1` of group 1: 1 succeeded, 2 was rejected, 3 failed, and 4 is open. */
const rows: readonly string[] = [
  "INSERT INTO ranges VALUES (1, 10, 'H1', 'H10')",
  `INSERT INTO group_versions VALUES (1, 1, 2, 2, 0, ${2n * second}, 'TX', 'created', 'alice', 'alice', '', '3', 'set')`,
  "INSERT INTO members VALUES ('set', 'alice', '3', '')",
  `INSERT INTO policy_versions VALUES ('policy1', 1, 2, 2, 1, ${2n * second}, 'TX', 'created', 'alice', 1, 'alice', '', '["/x.Policy",""]')`,
  ...[1n, 2n, 3n, 4n].flatMap((id) => [
    `INSERT INTO proposals VALUES (${id}, ${2n + id}, ${2n + id}, 0, ${(2n + id) * second}, 'TX${id}', 'policy1', 1, 1, 1, 'Proposal ${id}', '', '',
       '[]', '["alice"]', ${(2n + id) * second}, '${20n * second}', ${id === 4n ? 9_223_372_036_854_775_807n : 3n + id})`,
    `INSERT INTO proposers VALUES ('alice', ${id})`,
    `INSERT INTO votes VALUES (${id}, 'alice', ${2n + id}, ${2n + id}, 1, ${(2n + id) * second}, 'TX${id}', 1, '', 'MESSAGE')`,
  ]),
  ...[
    { id: 1n, status: 2n },
    { id: 2n, status: 3n },
    { id: 3n, status: 2n },
  ].map(
    ({ id, status }) =>
      `INSERT INTO closes VALUES (${id}, ${3n + id}, ${3n + id}, 0, ${(3n + id) * second}, 'C${id}', 'DECIDED', 'alice', ${status}, '${tally}', 1, 1, '3', '${tally}', 0)`,
  ),
  `INSERT INTO executions VALUES (1, 4, 4, 1, ${4n * second}, 'C1', 'alice', 2, '')`,
  `INSERT INTO executions VALUES (3, 6, 6, 1, ${6n * second}, 'C3', 'alice', 3, 'no funds')`,
  `INSERT INTO prunes VALUES (1, 4, 4, 2, ${4n * second}, 'C1', 2)`,
];

/** The statements that make an archive of an older version, of the chain `test-1`, with a few rows. */
export function oldArchive(dialect: Dialect, version: number): readonly string[] {
  const meta = Object.entries({ schema_version: version, chain_id: 'test-1', generation: 0 });
  return [
    'CREATE TABLE meta (name {text} PRIMARY KEY, value {text} NOT NULL)',
    ...meta.map(([name, value]) => `INSERT INTO meta VALUES ('${name}', '${value}')`),
    ...additions.slice(0, version).flat(),
    ...rows,
  ].map((statement) => statement.replace(/\{(\w+)\}/g, (_, word: string) => words[dialect][word]!));
}
