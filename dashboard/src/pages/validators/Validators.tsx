import { Card, Empty } from '../../components/page/Card.tsx';
import { Page } from '../../components/page/Page.tsx';
import { PageHead } from '../../components/page/PageHead.tsx';
import { hasModule } from '../../data/modules.ts';
import { usePage } from '../../data/usePage.ts';
import { countOf } from '../../format/numbers.ts';
import { ValidatorsDocument, ValidatorsLiveDocument } from '../../gen/graphql.ts';
import { parameters } from '../../routing/router.ts';
import { ByStake } from './ByStake.tsx';
import { SignGrid } from './SignGrid.tsx';

/** The validators with their voting power, and who signed the last 100 blocks. */
export function Validators() {
  const state = usePage(
    { past: ValidatorsDocument, live: ValidatorsLiveDocument },
    { after: parameters.value.get('after'), staking: hasModule('staking') },
  );
  return (
    <Page title="Validators" state={state}>
      {({ validators, blocks, stakingPool }) => (
        <>
          <PageHead title="Validators">
            {validators?.totalCount ? (
              <span class="muted">{countOf(validators.totalCount, 'validator')} in the set of this block</span>
            ) : null}
          </PageHead>
          <Card title="Voting power and signatures of the last 100 blocks">
            {validators === null || validators.nodes.length === 0 ? (
              <Empty>The set of validators cannot be read.</Empty>
            ) : (
              <SignGrid validators={validators.nodes} blocks={blocks?.nodes ?? []} />
            )}
          </Card>
          {stakingPool === undefined ? null : <ByStake of={stakingPool} />}
        </>
      )}
    </Page>
  );
}
