import { Amounts } from '../../components/Amount.tsx';
import { SaveList } from '../../components/lists/SaveButtons.tsx';
import { Pager } from '../../components/Pager.tsx';
import { Card, Empty } from '../../components/page/Card.tsx';
import { Page } from '../../components/page/Page.tsx';
import { PageHead } from '../../components/page/PageHead.tsx';
import { usePage } from '../../data/usePage.ts';
import { count, countOf } from '../../format/numbers.ts';
import { ruleWords } from '../../format/tally.ts';
import { GroupsDocument, GroupsLiveDocument } from '../../gen/graphql.ts';
import { governanceTexts } from '../../language/governance/texts.ts';
import { texts } from '../../language/language.ts';
import { parameters, urlOf } from '../../routing/router.ts';

/** All groups, each with its policies. */
export function Groups() {
  const state = usePage({ past: GroupsDocument, live: GroupsLiveDocument }, { after: parameters.value.get('after') });
  return (
    <Page title={texts.value.shell.groups} state={state}>
      {({ groups }) => (
        <>
          <PageHead title={texts.value.shell.groups}>
            {groups?.totalCount ? <span class="muted">{countOf(groups.totalCount, texts.value.counts.groups)}</span> : null}
            {groups === null || groups.nodes.length === 0 ? null : <SaveList name={texts.value.shell.groups} list="groups" />}
          </PageHead>
          {groups === null || groups.nodes.length === 0 ? <Empty>{governanceTexts.value.group.noGroups}</Empty> : null}
          <div class="grid two">
            {(groups?.nodes ?? []).map((group) => (
              <Card
                key={group.id}
                title={group.metadata || texts.value.proposal.group(group.id)}
                aside={
                  <a href={urlOf(`/groups/${group.id}`)}>
                    {texts.value.words.group} {group.id}
                  </a>
                }
              >
                <p class="inline-facts">
                  <span>
                    {group.members?.totalCount
                      ? countOf(group.members.totalCount, texts.value.counts.members)
                      : governanceTexts.value.group.noMembers}
                  </span>
                  <span>
                    {governanceTexts.value.group.weight} {count(group.totalWeight)}
                  </span>
                  <span>{countOf(group.open?.totalCount ?? 0, texts.value.counts.openProposals)}</span>
                </p>
                <ul class="policy-list">
                  {(group.policies?.nodes ?? []).map((policy) => (
                    <li key={policy.address}>
                      <div>
                        <a href={urlOf(`/policies/${policy.address}`)}>
                          {policy.metadata || texts.value.proposal.unnamedPolicy}
                        </a>
                        <p class="small muted">{ruleWords(policy.decisionPolicy)}</p>
                      </div>
                      <Amounts of={policy.account.balances?.nodes ?? []} />
                    </li>
                  ))}
                </ul>
              </Card>
            ))}
          </div>
          {groups === null ? null : <Pager info={groups.pageInfo} />}
        </>
      )}
    </Page>
  );
}
