import { createHash } from 'node:crypto';
import { asObject, type JsonObject, type JsonValue } from '../../chain/wire/json.ts';
import {
  bytesAt,
  type Connection,
  integerAt,
  integerOrNull,
  listOf,
  type Row,
  type Sql,
  sql,
  textAt,
} from '../database/database.ts';
import { packed, unpacked } from '../full/contents.ts';
import type { KeptProof, NewProof, ProofSubject } from '../proofs.ts';
import type { RunRead } from './archiveStore.ts';
import { nextGeneration } from './ranges.ts';

/** Stores a proof, within the caller's transaction. The validators are stored once for all proofs with the same ones. */
export async function storeProof(connection: Connection, { proposalId, height, bundle }: NewProof): Promise<void> {
  const { validators = [], ...rest } = bundle;
  const text = JSON.stringify(validators);
  const set = createHash('sha256').update(text).digest('hex');
  await connection.run('INSERT INTO proof_validators (hash, content) VALUES (?, ?) ON CONFLICT (hash) DO NOTHING', [
    set,
    packed(text),
  ]);
  await connection.run(
    'INSERT INTO proofs (proposal_id, height, validators, content) VALUES (?, ?, ?, ?) ON CONFLICT (proposal_id) DO NOTHING',
    [proposalId, height, set, packed(JSON.stringify(rest))],
  );
  await connection.run(nextGeneration, []);
}

/** The proofs of some proposals. */
export const proofsQuery = (proposalIds: readonly bigint[]): Sql =>
  sql`SELECT f.proposal_id, f.height, f.content, v.content AS validators FROM proofs f JOIN proof_validators v ON v.hash = f.validators
    WHERE f.proposal_id IN ${listOf(proposalIds)}`;

function objectIn(bytes: Uint8Array): JsonObject {
  const value: JsonValue = JSON.parse(unpacked(bytes));
  return asObject(value, 'proof');
}

/** The proof in a row of {@link proofsQuery}. */
export function proofIn(row: Row): KeptProof {
  const validators: JsonValue = JSON.parse(unpacked(bytesAt(row, 'validators')));
  return { height: integerAt(row, 'height'), bundle: { ...objectIn(bytesAt(row, 'content')), validators } };
}

/** The closed proposals that have no proof, and existed at the height before the close. `condition` selects some of them. */
const unproven = (condition: string): string =>
  `SELECT c.proposal_id, c.height, p.policy_address, p.group_id FROM closes c JOIN proposals p ON p.id = c.proposal_id
    WHERE ${condition} AND c.height > 1 AND (p.height IS NULL OR p.height < c.height)
      AND NOT EXISTS (SELECT 1 FROM proofs f WHERE f.proposal_id = c.proposal_id)`;

/** The ids of the proposals without a proof that had one to keep, the latest closed ones first, at most `most`. */
export async function readUnproven(run: RunRead, most: number): Promise<readonly bigint[]> {
  const rows = await run(`${unproven('c.height IS NOT NULL')} ORDER BY c.height DESC, c.proposal_id DESC LIMIT ?`, [
    BigInt(most),
  ]);
  return rows.map((row) => integerAt(row, 'proposal_id'));
}

/** What is to be proven of a proposal; null if nothing is, or it is kept already. */
export async function readProofSubject(run: RunRead, proposalId: bigint): Promise<ProofSubject | null> {
  const [row] = await run(unproven('c.proposal_id = ?'), [proposalId]);
  if (row === undefined) return null;
  return {
    proposalId,
    groupPolicyAddress: textAt(row, 'policy_address'),
    groupId: integerOrNull(row, 'group_id'),
    height: integerAt(row, 'height') - 1n,
  };
}
