import { Address } from '../../components/Address.tsx';
import { Card } from '../../components/page/Card.tsx';
import { Notice } from '../../components/page/Notice.tsx';
import { Page } from '../../components/page/Page.tsx';
import { PageHead } from '../../components/page/PageHead.tsx';
import { usePage } from '../../data/usePage.ts';
import { counted } from '../../format/numbers.ts';
import { ruleWords } from '../../format/tally.ts';
import { duration } from '../../format/times.ts';
import { PolicyDocument, PolicyLiveDocument } from '../../gen/graphql.ts';
import { type PathParts, parameters, urlOf } from '../../routing/router.ts';
import { Board } from './Board.tsx';
import { Holdings } from './Holdings.tsx';
import { Propose } from './Propose.tsx';
import { statusesOf } from './statuses.ts';

/** The board of a group policy: its proposals by status. */
export function Policy({ address = '' }: PathParts) {
  const query = parameters.value;
  const status = query.get('status');
  const variables = { address, status: statusesOf(status), after: query.get('after') };
  const state = usePage({ past: PolicyDocument, live: PolicyLiveDocument }, variables);
  return (
    <Page title="Board" state={state}>
      {({ groupPolicy: policy }) => {
        if (policy === null)
          return (
            <Notice title="This account is not a group policy">
              <a href={urlOf(`/accounts/${address}`)}>Show the account</a>
            </Notice>
          );
        const { group, decisionPolicy: rule, account } = policy;
        return (
          <>
            <PageHead
              kind={<a href={urlOf(`/groups/${group?.id}`)}>{group?.metadata || `Group ${group?.id}`}</a>}
              title={policy.metadata || 'Board'}
            >
              <span>{ruleWords(rule)}</span>
              {rule.windows === null ? null : <span>voting for {duration(rule.windows.votingPeriod)}</span>}
              {rule.windows === null || rule.windows.minExecutionPeriod === '0s' ? null : (
                <span>executable after {duration(rule.windows.minExecutionPeriod)}</span>
              )}
              <span>{counted(group?.members?.totalCount ?? 0, 'member')}</span>
              <span>
                <Address of={policy.address} />
              </span>
            </PageHead>
            <Board of={policy.proposals} chosen={status} />
            <div class="grid two">
              <Holdings of={account.balances?.nodes ?? []} />
              <Card title="New proposal">
                <Propose policy={policy.address} balances={account.balances?.nodes ?? []} />
              </Card>
            </div>
          </>
        );
      }}
    </Page>
  );
}
