import { Badge } from '../../components/Badge.tsx';
import { titleOf } from '../../components/governance/ProposalCard.tsx';
import { Card, Empty, Unread } from '../../components/page/Card.tsx';
import { Time } from '../../components/Time.tsx';
import { count, percent } from '../../format/numbers.ts';
import { accountsTexts } from '../../language/accounts/texts.ts';
import { texts } from '../../language/language.ts';
import { urlOf } from '../../routing/router.ts';

/** null if it could not be read. */
type List<T> = { readonly nodes: readonly T[] } | null;

interface MembershipsProps {
  readonly groups: List<{
    readonly id: string;
    readonly metadata: string;
    readonly totalWeight: string;
    readonly member: { readonly weight: string; readonly weightPercent: string | null } | null;
  }>;
  readonly votes: List<{
    readonly option: string;
    readonly submitTime: string;
    readonly proposalId: string;
    readonly proposal: { readonly id: string; readonly title: string } | null;
  }>;
}

/** The groups of an account with its weight in each, and its votes on proposals that are still open. */
export function Memberships({ groups, votes }: MembershipsProps) {
  return (
    <Card title={accountsTexts.value.votes.ofGroups}>
      <h3>{texts.value.shell.groups}</h3>
      {groups === null ? <Unread /> : null}
      {groups?.nodes.length === 0 ? <Empty>{accountsTexts.value.votes.noGroup}</Empty> : null}
      <ul class="plain-list">
        {groups?.nodes.map(({ id, metadata, totalWeight, member }) => (
          <li key={id}>
            <a href={urlOf(`/groups/${id}`)}>{metadata || texts.value.proposal.group(id)}</a>
            <span class="muted num">
              {member === null ? '' : accountsTexts.value.votes.weightOf(count(member.weight), count(totalWeight))}
              {member?.weightPercent ? ` (${percent(member.weightPercent)})` : ''}
            </span>
          </li>
        ))}
      </ul>
      <h3>{accountsTexts.value.votes.onOpen}</h3>
      {votes === null ? <Unread /> : null}
      {votes?.nodes.length === 0 ? <Empty>{accountsTexts.value.votes.noneOnOpen}</Empty> : null}
      <ul class="plain-list">
        {votes?.nodes.map(({ option, submitTime, proposalId, proposal }) => (
          <li key={proposalId}>
            <a href={urlOf(`/proposals/${proposalId}`)}>
              {proposal === null ? texts.value.proposal.named(proposalId) : titleOf(proposal)}
            </a>
            <span class="nowrap">
              <Badge of={option} />{' '}
              <span class="muted small">
                <Time of={submitTime} />
              </span>
            </span>
          </li>
        ))}
      </ul>
    </Card>
  );
}
