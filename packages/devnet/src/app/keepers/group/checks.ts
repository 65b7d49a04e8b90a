import type { GroupInfo, MemberRequest } from '../../../../../../src/proto/cosmos/group/v1/types_pb.js';
import { abciError, PlainError, wrapping } from '../../runtime/abciErrors.ts';
import { decodeAddress } from '../../runtime/address.ts';
import type { Context } from '../../runtime/context.ts';
import { requireNonNegative, requirePositive } from './decimal.ts';
import { decisionPolicyOf } from './policy.ts';
import { policiesOf } from './state.ts';

// The module's default configuration (docs/chain.md, "Configuration of the group module").
const maxMetadata = 255;
const maxSummary = 40 * maxMetadata;

/** Throws if an address is invalid (code 1, as wrapped by the SDK; the text is inferred). */
export function requireAddress(address: string, role: string): void {
  wrapping(`invalid ${role} address: ${address}`, () => decodeAddress(address));
}

/** Throws if metadata or a title is longer than 255 bytes. */
export function requireShort(text: string, what: string): void {
  if (Buffer.byteLength(text) > maxMetadata) throw abciError('groupMaxLimit', what);
}

/** Throws if a summary is longer than 40 times that. */
export function requireShortSummary(text: string): void {
  if (Buffer.byteLength(text) > maxSummary) throw abciError('groupMaxLimit', 'proposal summary');
}

/** Throws if an id is 0. */
export function requireId(id: bigint, what: string): void {
  if (id === 0n) throw abciError('groupEmpty', what);
}

/** Throws if an address occurs twice (code 3 of codespace group). */
export function requireDistinct(addresses: readonly string[]): void {
  const seenAddresses = new Set<string>();
  for (const address of addresses) {
    if (seenAddresses.has(address)) throw abciError('groupDuplicate', `address: ${address}`);
    seenAddresses.add(address);
  }
}

/**
 * Checks the members of a request. With `zeroAllowed`, weight 0 is allowed, which removes a member. New groups do not allow it.
 */
export function requireMembers(members: readonly MemberRequest[], zeroAllowed: boolean): void {
  requireDistinct(members.map((member) => member.address));
  for (const member of members) {
    requireAddress(member.address, 'member');
    if (zeroAllowed) requireNonNegative(member.weight, 'weight');
    else requirePositive(member.weight, 'weight');
    requireShort(member.metadata, 'member metadata');
  }
}

/** Throws if an account is not the admin (code 4). The text is inferred. */
export function requireAdmin(actual: string, sender: string, of: string): void {
  if (actual !== sender) throw abciError('unauthorized', `not ${of} admin: expected ${actual}, got ${sender}`);
}

/**
 * Throws if proposals of a group's policies could never be executed, because their minimum execution period ends after the
 * chain deletes them.
 */
export function requireUsablePolicies(context: Context, group: GroupInfo, maxExecutionPeriod: bigint): void {
  for (const info of policiesOf(context, group.id)) requireUsable(decisionPolicyOf(info.decisionPolicy), maxExecutionPeriod);
}

/** Throws if the minimum execution period is not below voting period + maximum execution period. */
export function requireUsable(
  policy: { readonly votingPeriod: bigint; readonly minExecutionPeriod: bigint },
  maxExecutionPeriod: bigint,
): void {
  if (policy.minExecutionPeriod > policy.votingPeriod + maxExecutionPeriod) {
    throw abciError('groupInvalid', 'min_execution_period should be smaller than voting_period + max_execution_period');
  }
}

/**
 * Throws if metadata is JSON with a title or summary that differs from that of the proposal
 * (docs/chain.md, "Life cycle of a proposal"). Other metadata is not checked.
 */
export function requireSameTitle(metadata: string, title: string, summary: string): void {
  let parsed: unknown;
  try {
    parsed = JSON.parse(metadata);
  } catch {
    return;
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return;
  const fields = { title: '', summary: '', ...parsed };
  if (typeof fields.title !== 'string' || typeof fields.summary !== 'string') return;
  if (fields.title !== title) throw new PlainError(`metadata title '${fields.title}' must equal proposal title '${title}'`);
  if (fields.summary !== summary) {
    throw new PlainError(`metadata summary '${fields.summary}' must equal proposal summary '${summary}'`);
  }
}
