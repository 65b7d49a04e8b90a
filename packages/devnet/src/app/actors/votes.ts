import { VoteOption } from '../../../../../src/proto/cosmos/group/v1/types_pb.js';
import type { PolicyFixture } from '../fixtures/fixtures.ts';
import { compare } from '../keepers/group/decimal.ts';
import type { Random } from '../runtime/random.ts';
import type { Intent } from './intents.ts';

/**
 * Whether a member must vote yes. Proposals of the board stay open for days and must remain able to pass, so only members with a
 * low weight dissent.
 */
export function mustAgree(policy: PolicyFixture, voter: string): boolean {
  const weight = policy.members.find((member) => member.address === voter)?.weight ?? '0';
  return policy.name === 'board' && compare(weight, '2') >= 0;
}

/** Draws the option of a vote on a proposal with this intended outcome. */
export function drawOption(intent: Intent, random: Random): VoteOption {
  const draw = random.next();
  switch (intent) {
    case 'pass':
    case 'shelve':
      return draw < 0.92 ? VoteOption.YES : VoteOption.ABSTAIN;
    case 'reject':
      return draw < 0.7 ? VoteOption.NO : draw < 0.9 ? VoteOption.NO_WITH_VETO : VoteOption.ABSTAIN;
    case 'withdraw':
    case 'leave':
      return draw < 0.4 ? VoteOption.YES : draw < 0.7 ? VoteOption.NO : VoteOption.ABSTAIN;
  }
}
