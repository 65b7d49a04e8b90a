import { type Connection, type Dialect, textAt } from '../database/database.ts';
import { addPolicyTexts, createTexts } from './texts.ts';

/** The version of the tables that this code reads and writes. */
export const schemaVersion = 14;

/** The tables of group governance whose rows have the height of a block. */
const groupTables = [
  'group_versions',
  'policy_versions',
  'proposals',
  'votes',
  'executions',
  'closes',
  'prunes',
  'unexplained',
] as const;

/** The tables whose rows have the height of a block. */
export const placedTables = [...groupTables, 'gov_proposals', 'gov_votes', 'gov_deposits', 'gov_steps', 'gov_powers'] as const;

/** The rows of each placed table are counted in ranges of this many heights, so that missing ones are noticed. Part of the stored format. */
export const countedHeights = 10_000n;

/** The archive in a database cannot be used by this server. The message says why. */
export class ArchiveMismatch extends Error {
  override readonly name = 'ArchiveMismatch';
}

/** The words that differ between the databases. */
const words: Readonly<Record<Dialect, Readonly<Record<string, string>>>> = {
  sqlite: { int: 'INTEGER', text: 'TEXT', bytes: 'BLOB', clustered: ' WITHOUT ROWID', key: 'INTEGER PRIMARY KEY' },
  // Addresses are compared byte by byte, as SQLite does.
  postgres: { int: 'BIGINT', text: 'TEXT COLLATE "C"', bytes: 'BYTEA', clustered: '', key: 'BIGINT PRIMARY KEY' },
};

/**
 * The columns of a place. `seen` is the first height as of which the row is visible. It is the height of the place, or the base of the range whose
 * first reading of the state showed the row; then `height` is null, or `ord` is below 0 if blocks and events showed the place later.
 */
const place = 'seen {int} NOT NULL, height {int}, ord {int} NOT NULL, time {int}, hash {text}';

/**
 * The statements that lead from each version to the next: the first one from an empty database to version 1. Rows are added and never changed, but
 * for four things: a row without a height is replaced by a better one when older blocks are filled in; `closed` and `group_id` of a proposal repeat
 * what its close and its policy say, for the indexes; the ranges grow; and so do the runs of stores, which become one when they meet.
 */
const migrations: readonly (readonly string[])[] = [
  [
    'CREATE TABLE ranges (base {key}, until {int} NOT NULL, base_hash {text} NOT NULL, until_hash {text} NOT NULL)',
    'CREATE TABLE checkpoints (height {key}, hash {text} NOT NULL)',
    // The proposals that the chain had at the base of a range.
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
    // Blocks whose contents are indexed, both ends included, with the number of their transactions.
    'CREATE TABLE indexed_ranges (base {key}, until {int} NOT NULL, transactions {int} NOT NULL)',
    // `content` is compressed JSON: the block without its transactions, and its own events.
    'CREATE TABLE blocks (height {key}, time {int} NOT NULL, transactions {int} NOT NULL, content {bytes} NOT NULL)',
    // Counts transactions without reading contents.
    'CREATE INDEX blocks_with_transactions ON blocks (height, transactions) WHERE transactions > 0',
    // The id is made of the height and the index in the block. `content` is compressed JSON: the bytes and the result.
    'CREATE TABLE transactions (id {key}, hash {bytes} NOT NULL, content {bytes} NOT NULL)',
    'CREATE INDEX transactions_by_hash ON transactions (hash)',
    'CREATE TABLE event_tags (id {key}, name {text} NOT NULL UNIQUE)',
    // One row for all events of a block with an attribute of the same name and value. Long values are shortened.
    `CREATE TABLE event_values (tag {int} NOT NULL, value {text} NOT NULL, height {int} NOT NULL, items {int} NOT NULL, places {bytes} NOT NULL,
       PRIMARY KEY (tag, value, height)){clustered}`,
  ],
  [
    // Every status but SUBMITTED and every result that a proposal has had at some height, for searches. See storeOutcomes.
    `CREATE TABLE outcomes (outcome {int} NOT NULL, proposal_id {int} NOT NULL, group_id {int}, policy_address {text} NOT NULL,
       PRIMARY KEY (outcome, proposal_id)){clustered}`,
    'CREATE INDEX outcomes_by_group ON outcomes (group_id, outcome, proposal_id)',
    'CREATE INDEX outcomes_by_policy ON outcomes (policy_address, outcome, proposal_id)',
    `INSERT INTO outcomes (outcome, proposal_id, group_id, policy_address)
       SELECT o.outcome, p.id, p.group_id, p.policy_address FROM (
         SELECT proposal_id, status AS outcome FROM closes UNION SELECT proposal_id, status FROM prunes WHERE status IS NOT NULL
         UNION SELECT proposal_id, 100 + result FROM executions WHERE result <> 1
       ) o JOIN proposals p ON p.id = o.proposal_id`,
    'DROP INDEX closes_by_status',
    'DROP INDEX prunes_by_status',
    'DROP INDEX executions_by_result',
  ],
  [
    // Of closes and executions before a range, the time was the latest possible one, and the reason was guessed.
    `UPDATE closes SET closing = '' WHERE height IS NULL AND closing = 'VOTING_ENDED'`,
    'UPDATE closes SET time = NULL WHERE height IS NULL',
    'UPDATE executions SET time = NULL WHERE height IS NULL',
  ],
  [
    // The rows with a height that were stored, by table and by range of heights: `part` is the height divided by countedHeights.
    `CREATE TABLE row_counts (name {text} NOT NULL, part {int} NOT NULL, total {int} NOT NULL, PRIMARY KEY (name, part)){clustered}`,
    ...groupTables.map(
      (table) =>
        `INSERT INTO row_counts (name, part, total) SELECT '${table}', height / ${countedHeights}, count(*) FROM ${table}
           WHERE height IS NOT NULL GROUP BY height / ${countedHeights}`,
    ),
  ],
  [
    // The proposals of which blocks and events were searched for what the state at the base of a range does not show. See earlier.ts.
    'CREATE TABLE searched (proposal_id {int} NOT NULL, base {int} NOT NULL, PRIMARY KEY (proposal_id, base)){clustered}',
  ],
  [
    // The rows that row_counts does not have.
    // Databases of version 6 may have them.
    'CREATE INDEX IF NOT EXISTS proposals_unplaced ON proposals (id) WHERE height IS NULL',
    'CREATE INDEX IF NOT EXISTS votes_unplaced ON votes (proposal_id) WHERE height IS NULL',
  ],
  [
    // The governance module. Its ids are not those of group proposals.
    `CREATE TABLE gov_proposals (id {key}, ${place}, proposer {text} NOT NULL, title {text} NOT NULL, summary {text} NOT NULL,
       metadata {text} NOT NULL, messages {text} NOT NULL, expedited {int} NOT NULL, submit_time {int} NOT NULL, deposit_end {text})`,
    'CREATE INDEX gov_proposals_by_proposer ON gov_proposals (proposer, id)',
    `CREATE TABLE gov_votes (proposal_id {int} NOT NULL, voter {text} NOT NULL, ${place}, options {text} NOT NULL,
       PRIMARY KEY (proposal_id, voter, seen, ord)){clustered}`,
    'CREATE INDEX gov_votes_by_place ON gov_votes (proposal_id, seen, ord, voter)',
    'CREATE INDEX gov_votes_by_voter ON gov_votes (voter, seen, ord, proposal_id)',
    'CREATE INDEX gov_votes_unplaced ON gov_votes (seen) WHERE height IS NULL',
    `CREATE TABLE gov_deposits (proposal_id {int} NOT NULL, depositor {text} NOT NULL, ${place}, amount {text} NOT NULL,
       PRIMARY KEY (proposal_id, depositor, seen, ord)){clustered}`,
    'CREATE INDEX gov_deposits_unplaced ON gov_deposits (seen) WHERE height IS NULL',
    `CREATE TABLE gov_steps (proposal_id {int} NOT NULL, step {text} NOT NULL, ${place}, account {text}, log {text} NOT NULL,
       voting_start {int}, voting_end {text}, deposits {text}, tally {text}, computed {text}, disagrees {int} NOT NULL,
       PRIMARY KEY (proposal_id, step)){clustered}`,
    'CREATE INDEX gov_steps_that_disagree ON gov_steps (proposal_id) WHERE disagrees = 1',
    // Who voted with which power at the tally of this height, and the bonded validators that did not vote: those have no options.
    `CREATE TABLE gov_powers (proposal_id {int} NOT NULL, address {text} NOT NULL, ${place}, operator {text}, options {text},
       delegated {text} NOT NULL, validator {text}, PRIMARY KEY (proposal_id, seen, address)){clustered}`,
    'CREATE INDEX gov_powers_by_operator ON gov_powers (operator, seen, proposal_id)',
  ],
  [
    // The proof of a proposal, its votes and its members at the height before the close. `content` is compressed JSON: the bundle without its validators.
    'CREATE TABLE proofs (proposal_id {key}, height {int} NOT NULL, validators {text} NOT NULL, content {bytes} NOT NULL)',
    // The validators of proofs, by the hash of their JSON, which is what is compressed in `content`.
    'CREATE TABLE proof_validators (hash {text} PRIMARY KEY, content {bytes} NOT NULL)',
  ],
  [
    // The last rehearsal of a proposal. `content` is JSON.
    'CREATE TABLE rehearsals (proposal_id {key}, height {int} NOT NULL, outcome {text} NOT NULL, content {text} NOT NULL)',
  ],
  [
    // The times of all recorded blocks, in nanoseconds since 1970. They stay when the contents of blocks expire.
    'CREATE TABLE block_times (height {key}, time {int} NOT NULL)',
    'INSERT INTO block_times (height, time) SELECT height, time FROM blocks',
    `INSERT INTO row_counts (name, part, total) SELECT 'block_times', height / ${countedHeights}, count(*) FROM block_times GROUP BY height / ${countedHeights}`,
    // The roots of the stores of the chain: after each block from base to until, the store has this root.
    `CREATE TABLE store_runs (store {text} NOT NULL, base {int} NOT NULL, until {int} NOT NULL, root {bytes} NOT NULL, is_small {int} NOT NULL,
       PRIMARY KEY (store, base)){clustered}`,
  ],
  [
    // The names of groups and of their members, whose words `search_texts` has: see createTexts. `address` is empty for the name of a group.
    'CREATE TABLE search_names (id {key}, group_id {int} NOT NULL, address {text} NOT NULL, metadata {text} NOT NULL)',
    'CREATE INDEX search_names_by_group ON search_names (group_id)',
  ],
  [
    // Webhooks. All events below `height` and the first `position` at it are delivered. `replay_…` is the same of a redelivery, until `replay_to`.
    // Rows of webhooks change, as their cursors do. `keys` is encrypted. Times are in ms.
    `CREATE TABLE webhooks (id {text} PRIMARY KEY, owner {text} NOT NULL, client_id {text} NOT NULL, scopes {text} NOT NULL, url {text} NOT NULL,
       description {text} NOT NULL, document {text} NOT NULL, operation_name {text}, variables {text} NOT NULL, signing {text} NOT NULL,
       keys {text} NOT NULL, state {text} NOT NULL, reason {text}, message {text}, created {int} NOT NULL, changed {int} NOT NULL,
       height {int} NOT NULL, position {int} NOT NULL, sequence {int} NOT NULL, previous {text}, tries {int} NOT NULL, next_try {int} NOT NULL,
       delivered {int}, replay_height {int}, replay_position {int}, replay_to {int})`,
    'CREATE INDEX webhooks_by_owner ON webhooks (owner, created, id)',
    'CREATE INDEX webhooks_by_change ON webhooks (changed)',
    // The last deliveries of each webhook, and the one that failed.
    `CREATE TABLE webhook_deliveries (webhook {text} NOT NULL, sequence {int} NOT NULL, event {text} NOT NULL, height {int} NOT NULL,
       state {text} NOT NULL, tries {int} NOT NULL, status {int}, response {text}, error {text}, time {int} NOT NULL,
       PRIMARY KEY (webhook, sequence)){clustered}`,
    // One row: which server delivers, a number that it changes while it runs, and the number of changes of webhooks.
    'CREATE TABLE webhook_lease (holder {text} NOT NULL, beat {int} NOT NULL, changed {int} NOT NULL)',
    "INSERT INTO webhook_lease (holder, beat, changed) VALUES ('', 0, 0)",
  ],
  // The index of words also has the names of group policies: see addPolicyTexts.
  [],
];

/** The version whose tables have the index of words. Its statements differ between the databases, and words are found by code. */
const textsVersion = 12;

/** The version whose index of words has the names of group policies. */
const policyTextsVersion = 14;

function inDialect(dialect: Dialect, text: string): string {
  return text.replace(/\{(\w+)\}/g, (_, word: string) => words[dialect][word] ?? '');
}

async function metaValue(connection: Connection, name: string): Promise<string | undefined> {
  const [row] = await connection.run('SELECT value FROM meta WHERE name = ?', [name]);
  return row && textAt(row, 'value');
}

/**
 * Creates the tables, or brings older ones to {@link schemaVersion}. Runs within the caller's transaction. Throws an {@link ArchiveMismatch} if the
 * tables are newer, or belong to another chain.
 */
export async function prepareSchema(connection: Connection, chainId: string): Promise<void> {
  const run = (text: string, values: readonly (string | bigint)[] = []) =>
    connection.run(inDialect(connection.dialect, text), values);
  await run('CREATE TABLE IF NOT EXISTS meta (name {text} PRIMARY KEY, value {text} NOT NULL)');
  const chain = await metaValue(connection, 'chain_id');
  if (chain !== undefined && chain !== chainId)
    throw new ArchiveMismatch(`the archive belongs to the chain ${chain}, not to ${chainId}`);
  const version = Number((await metaValue(connection, 'schema_version')) ?? '0');
  if (version > schemaVersion)
    throw new ArchiveMismatch(`the archive has version ${version}; this server supports versions up to ${schemaVersion}`);
  if (version === schemaVersion) return;
  for (const statement of migrations.slice(version).flat()) await run(statement);
  if (version < textsVersion) await createTexts(connection);
  else if (version < policyTextsVersion) await addPolicyTexts(connection);
  const set = 'INSERT INTO meta (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value';
  await run(set, ['schema_version', String(schemaVersion)]);
  await run(set, ['chain_id', chainId]);
  await run('INSERT INTO meta (name, value) VALUES (?, ?) ON CONFLICT (name) DO NOTHING', ['generation', '0']);
}

/** Checks the tables of a database that another server writes. Throws as {@link prepareSchema}; false if there are none yet. */
export async function hasSchema(connection: Connection, chainId: string): Promise<boolean> {
  const chain = await metaValue(connection, 'chain_id').catch(() => undefined);
  if (chain === undefined) return false;
  if (chain !== chainId) throw new ArchiveMismatch(`the archive belongs to the chain ${chain}, not to ${chainId}`);
  const version = Number(await metaValue(connection, 'schema_version'));
  if (version > schemaVersion)
    throw new ArchiveMismatch(`the archive has version ${version}; this server supports versions up to ${schemaVersion}`);
  return version === schemaVersion;
}
