import { Card, Empty } from '../../components/page/Card.tsx';
import { Page } from '../../components/page/Page.tsx';
import { PageHead } from '../../components/page/PageHead.tsx';
import { hasModule } from '../../data/modules.ts';
import { usePage } from '../../data/usePage.ts';
import { countOf } from '../../format/numbers.ts';
import { ValidatorsDocument, ValidatorsLiveDocument } from '../../gen/graphql.ts';
import { chainTexts } from '../../language/chain/texts.ts';
import { texts } from '../../language/language.ts';
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
    <Page title={texts.value.shell.validators} state={state}>
      {({ validators, blocks, stakingPool }) => (
        <>
          <PageHead title={texts.value.shell.validators}>
            {validators?.totalCount ? (
              <span class="muted">
                {countOf(validators.totalCount, texts.value.counts.validators)} {chainTexts.value.validator.inSet}
              </span>
            ) : null}
          </PageHead>
          <Card title={chainTexts.value.validator.powerAndSignatures}>
            {validators === null || validators.nodes.length === 0 ? (
              <Empty>{chainTexts.value.validator.setUnread}</Empty>
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
