import type { GroupInfo, MemberRequest } from '../../../../proto/cosmos/group/v1/types_pb.js';
import { abciError, PlainError, wrapping } from '../../runtime/abciErrors.ts';
import { decodeAddress } from '../../runtime/address.ts';
import type { Context } from '../../runtime/context.ts';
import { requireNonNegative, requirePositive } from './decimal.ts';
import { decisionPolicyOf } from './policy.ts';
import { policiesOf } from './state.ts';

// chain.md 3.1: the module's default configuration.
const maxMetadata = 255;
const maxSummary = 40 * maxMetadata;

/** Refuses an address that is none (code 1, as the SDK's wrapping gives it; the text is inferred). */
export function requireAddress(address: string, role: string): void {
  wrapping(`invalid ${role} address: ${address}`, () => decodeAddress(address));
}

/** Refuses metadata, or a title, of more than 255 bytes. */
export function requireShort(text: string, what: string): void {
  if (Buffer.byteLength(text) > maxMetadata) throw abciError('groupMaxLimit', what);
}

/** Refuses a summary of more than 40 times that. */
export function requireShortSummary(text: string): void {
  if (Buffer.byteLength(text) > maxSummary) throw abciError('groupMaxLimit', 'proposal summary');
}

/** Refuses an id of 0. */
export function requireId(id: bigint, what: string): void {
  if (id === 0n) throw abciError('groupEmpty', what);
}

/** Refuses an address that is there twice (code 3 of codespace group). */
export function requireDistinct(addresses: readonly string[]): void {
  const seen = new Set<string>();
  for (const address of addresses) {
    if (seen.has(address)) throw abciError('groupDuplicate', `address: ${address}`);
    seen.add(address);
  }
}

/** Checks members as they are asked for. `zeroAllowed`: weight 0 takes a member out, which a new group cannot have. */
export function requireMembers(members: readonly MemberRequest[], zeroAllowed: boolean): void {
  requireDistinct(members.map((member) => member.address));
  for (const member of members) {
    requireAddress(member.address, 'member');
    if (zeroAllowed) requireNonNegative(member.weight, 'weight');
    else requirePositive(member.weight, 'weight');
    requireShort(member.metadata, 'member metadata');
  }
}

/** Refuses anybody but the admin (code 4). The text is inferred. */
export function requireAdmin(actual: string, given: string, of: string): void {
  if (actual !== given) throw abciError('unauthorized', `not ${of} admin: expected ${actual}, got ${given}`);
}

/** Refuses policies of a group that could no more be executed: their minimal execution period must end before proposals are dropped. */
export function requireUsablePolicies(context: Context, group: GroupInfo, maxExecutionPeriod: bigint): void {
  for (const info of policiesOf(context, group.id)) requireUsable(decisionPolicyOf(info.decisionPolicy), maxExecutionPeriod);
}

/** Refuses a minimal execution period at or above voting period + maximal execution period. */
export function requireUsable(
  policy: { readonly votingPeriod: bigint; readonly minExecutionPeriod: bigint },
  maxExecutionPeriod: bigint,
): void {
  if (policy.minExecutionPeriod > policy.votingPeriod + maxExecutionPeriod) {
    throw abciError('groupInvalid', 'min_execution_period should be smaller than voting_period + max_execution_period');
  }
}

/** When metadata is JSON with a title or summary, they must be the proposal's (chain.md 3.6). Other metadata is anything. */
export function requireSameTitle(metadata: string, title: string, summary: string): void {
  let parsed: unknown;
  try {
    parsed = JSON.parse(metadata);
  } catch {
    return;
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return;
  const found = { title: '', summary: '', ...parsed };
  if (typeof found.title !== 'string' || typeof found.summary !== 'string') return;
  if (found.title !== title) throw new PlainError(`metadata title '${found.title}' must equal proposal title '${title}'`);
  if (found.summary !== summary) {
    throw new PlainError(`metadata summary '${found.summary}' must equal proposal summary '${summary}'`);
  }
}
