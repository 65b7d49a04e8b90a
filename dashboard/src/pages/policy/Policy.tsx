import { useEffect } from 'preact/hooks';
import { Address } from '../../components/Address.tsx';
import { Card } from '../../components/page/Card.tsx';
import { lazyPart } from '../../components/page/lazyPart.tsx';
import { Notice } from '../../components/page/Notice.tsx';
import { Page } from '../../components/page/Page.tsx';
import { PageHead } from '../../components/page/PageHead.tsx';
import { hasModule } from '../../data/modules.ts';
import { usePage } from '../../data/usePage.ts';
import { useRead } from '../../data/useRead.ts';
import { wouldFail } from '../../data/wouldFail.ts';
import { count, countOf } from '../../format/numbers.ts';
import { ruleWords } from '../../format/tally.ts';
import { duration } from '../../format/times.ts';
import { PolicyDocument, PolicyLiveDocument, PolicyRecordsDocument } from '../../gen/graphql.ts';
import { governanceTexts } from '../../language/governance/texts.ts';
import { texts } from '../../language/language.ts';
import { at, type PathParts, parameters, urlOf } from '../../routing/router.ts';
import { LazyTreasury } from '../trends/lazyTrends.ts';
import { Board } from './Board.tsx';
import { ClosedProposals } from './ClosedProposals.tsx';
import { Holdings } from './Holdings.tsx';
import { closedStatuses, statusesOf } from './statuses.ts';

const Propose = lazyPart(async () => (await import('./Propose.tsx')).Propose);

/** The board of a group policy: its proposals by status. */
export function Policy({ address = '' }: PathParts) {
  const query = parameters.value;
  const status = query.get('status');
  const variables = { address, status: statusesOf(status), marker: hasModule('marker'), after: query.get('after') };
  const state = usePage({ past: PolicyDocument, live: PolicyLiveDocument }, variables);
  // The archive has the proposals of blocks whose state no node has any more.
  const isGone = !state.data?.groupPolicy?.proposals && state.partial.some(({ code }) => code === 'HEIGHT_PRUNED');
  const closed = useRead(
    PolicyRecordsDocument,
    { address, status: variables.status ?? (isGone ? null : closedStatuses), after: query.get('closed') },
    status === 'open' && !isGone ? undefined : state.changed,
  );
  // The proposals that would fail are marked. Nothing is rehearsed in the past, nor before the proposals are shown: a rehearsal would delay them.
  const isPast = at.value !== undefined;
  const isRead = state.data !== undefined;
  useEffect(() => {
    if (isPast || !isRead) return;
    const leaving = new AbortController();
    void import('../../components/rehearsal/parts.ts').then(
      ({ watchBoard }) => watchBoard(address, leaving.signal),
      () => undefined,
    );
    return () => {
      leaving.abort();
      wouldFail.value = new Map();
    };
  }, [address, isPast, isRead]);
  return (
    <Page title={governanceTexts.value.group.board} state={state} hasRecords={isGone && closed.data?.proposalRecords !== null}>
      {({ groupPolicy: policy }) => {
        if (isGone)
          return (
            <>
              <PageHead title={policy?.metadata || governanceTexts.value.group.board}>
                <Address of={address} />
              </PageHead>
              <ClosedProposals read={closed} title={governanceTexts.value.group.recorded} />
            </>
          );
        if (policy === null)
          return (
            <Notice title={governanceTexts.value.policy.notPolicy}>
              <a href={urlOf(`/accounts/${address}`)}>{governanceTexts.value.policy.showAccount}</a>
            </Notice>
          );
        const { group, decisionPolicy: rule, account } = policy;
        return (
          <>
            <PageHead
              kind={
                <a href={urlOf(`/groups/${group?.id}`)}>{group?.metadata || texts.value.proposal.group(group?.id ?? '')}</a>
              }
              title={policy.metadata || governanceTexts.value.group.board}
            >
              <span>{ruleWords(rule)}</span>
              {rule.windows === null ? null : (
                <span>
                  {governanceTexts.value.policy.votingFor} {duration(rule.windows.votingPeriod)}
                </span>
              )}
              {rule.windows === null || rule.windows.minExecutionPeriod === '0s' ? null : (
                <span>
                  {governanceTexts.value.policy.executableAfter} {duration(rule.windows.minExecutionPeriod)}
                </span>
              )}
              <span>{countOf(group?.members?.totalCount ?? 0, texts.value.counts.members)}</span>
              <span>
                <Address of={policy.address} />
              </span>
              <a href="#new-proposal">{governanceTexts.value.policy.newProposal}</a>
            </PageHead>
            <Board address={address} of={policy.proposals} chosen={status} closed={closed} />
            <div class="grid two">
              <div class="card-column">
                <Holdings of={account.balances?.nodes ?? []} />
                <LazyTreasury key={[address, at.value].join()} address={policy.address} height={state.changed} />
              </div>
              <Card id="new-proposal" title={governanceTexts.value.policy.newProposal}>
                <Propose
                  policy={policy.address}
                  balances={account.balances?.nodes ?? []}
                  deciders={
                    group === null
                      ? governanceTexts.value.policy.decidedBy(ruleWords(rule))
                      : governanceTexts.value.policy.decidedByOf(
                          ruleWords(rule),
                          count(group.totalWeight),
                          countOf(group.members?.totalCount ?? 0, texts.value.counts.members),
                        )
                  }
                />
              </Card>
            </div>
          </>
        );
      }}
    </Page>
  );
}
