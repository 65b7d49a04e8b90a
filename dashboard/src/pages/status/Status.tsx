import { Card } from '../../components/page/Card.tsx';
import { Facts } from '../../components/page/Facts.tsx';
import { Page } from '../../components/page/Page.tsx';
import { PageHead } from '../../components/page/PageHead.tsx';
import { Time } from '../../components/Time.tsx';
import { useFixedPage } from '../../data/useFixedPage.ts';
import { bytes, count } from '../../format/numbers.ts';
import { StatusDocument } from '../../gen/graphql.ts';
import { texts } from '../../language/language.ts';
import { serverTexts } from '../../language/server/texts.ts';
import { urlOf } from '../../routing/router.ts';
import { ArchiveCard } from './ArchiveCard.tsx';
import { NodeTable } from './NodeTable.tsx';
import { VerificationCard } from './VerificationCard.tsx';

/** How often the page is read again, in ms. What it shows is not of a height, so it cannot be live. */
const interval = 3_000;

/** The nodes, the mempool and the archive of the server. */
export function Status() {
  const state = useFixedPage(StatusDocument, {}, interval);
  return (
    <Page title={texts.value.shell.status} state={state}>
      {({ head, nodes, numUnconfirmedTransactions: mempool, abciInfo, archive }) => (
        <>
          <PageHead title={texts.value.shell.status} />
          <Card title={serverTexts.value.status.nodes}>
            <NodeTable of={nodes} />
          </Card>
          <VerificationCard of={head} />
          <div class="grid two">
            <Card title={texts.value.words.chain}>
              <Facts
                of={[
                  [texts.value.words.chain, head?.chainId],
                  [serverTexts.value.status.newestBlock, head && count(head.height)],
                  [serverTexts.value.status.itsTime, head && <Time of={head.time} />],
                  [serverTexts.value.status.application, abciInfo && `${abciInfo.data} ${abciInfo.version}`],
                  [serverTexts.value.status.mempool, mempool && `${count(mempool.total)} (${bytes(mempool.totalBytes)})`],
                ]}
              />
            </Card>
            <ArchiveCard of={archive} head={head?.height} />
          </div>
          <p>
            <a href={urlOf('/limits')}>{serverTexts.value.status.limits}</a>
          </p>
        </>
      )}
    </Page>
  );
}
