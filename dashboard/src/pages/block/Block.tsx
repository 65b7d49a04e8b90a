import { Amounts } from '../../components/Amount.tsx';
import { Events } from '../../components/Events.tsx';
import { SaveList } from '../../components/lists/SaveButtons.tsx';
import { Pager } from '../../components/Pager.tsx';
import { Card, Empty } from '../../components/page/Card.tsx';
import { Facts } from '../../components/page/Facts.tsx';
import { Notice } from '../../components/page/Notice.tsx';
import { Page } from '../../components/page/Page.tsx';
import { PageHead } from '../../components/page/PageHead.tsx';
import { Time } from '../../components/Time.tsx';
import { TransactionTable } from '../../components/TransactionTable.tsx';
import { usePage } from '../../data/usePage.ts';
import { bytes, count, countOf } from '../../format/numbers.ts';
import { BlockDocument, BlockLiveDocument } from '../../gen/graphql.ts';
import { chainTexts } from '../../language/chain/texts.ts';
import { texts } from '../../language/language.ts';
import { type PathParts, parameters, urlOf } from '../../routing/router.ts';
import { Signatures } from './Signatures.tsx';

/** A block: its transactions in words, its events, and who signed the block before it. */
export function Block({ height = '' }: PathParts) {
  const state = usePage({ past: BlockDocument, live: BlockLiveDocument }, { height, after: parameters.value.get('after') });
  return (
    <Page title={chainTexts.value.block.named(height)} state={state}>
      {({ block, head }) => {
        if (block === null)
          return <Notice title={chainTexts.value.block.unknown(height)}>{chainTexts.value.block.noNode}</Notice>;
        const number = BigInt(block.height);
        const isNewest = head !== null && number >= BigInt(head.height);
        const rows = block.transactions?.nodes ?? [];
        const fees = rows.flatMap(({ fee }) => fee?.amount ?? []);
        return (
          <>
            <PageHead kind={texts.value.words.block} title={count(block.height)}>
              <span>
                <Time of={block.time} /> <span class="muted">({block.time})</span>
              </span>
              <nav class="row" aria-label={chainTexts.value.block.neighbours}>
                {number > 1n ? <a href={urlOf(`/blocks/${number - 1n}`)}>{chainTexts.value.block.previous}</a> : null}
                {isNewest ? null : <a href={urlOf(`/blocks/${number + 1n}`)}>{chainTexts.value.block.next}</a>}
              </nav>
            </PageHead>
            <div class="grid two">
              <Card title={texts.value.words.block}>
                <Facts
                  of={[
                    [texts.value.words.hash, <code class="break">{block.hash}</code>],
                    [chainTexts.value.block.proposer, block.proposer?.moniker ?? block.proposer?.address],
                    [chainTexts.value.block.size, block.blockSize === null ? null : bytes(block.blockSize)],
                    [texts.value.words.fees, fees.length === 0 ? null : <Amounts of={fees.slice(0, 3)} />],
                    [chainTexts.value.block.appHash, <code class="break">{block.header.appHash}</code>],
                    [chainTexts.value.block.previousBlock, <code class="break">{block.header.lastBlockId.hash || '–'}</code>],
                  ]}
                />
              </Card>
              <Signatures of={block.lastCommit} />
            </div>
            <Card
              title={countOf(block.numTxs, texts.value.counts.transactions)}
              aside={
                rows.length === 0 ? null : (
                  <SaveList name={texts.value.words.transactions} list="blockTransactions" of={block.height} />
                )
              }
            >
              {rows.length === 0 ? (
                <Empty>{chainTexts.value.block.empty}</Empty>
              ) : (
                <TransactionTable of={rows} name={texts.value.words.transactions} />
              )}
              {block.transactions === null ? null : <Pager info={block.transactions.pageInfo} />}
            </Card>
            <Card title={chainTexts.value.block.ownEvents}>
              <Events of={block.results?.finalizeBlockEvents ?? []} />
            </Card>
          </>
        );
      }}
    </Page>
  );
}
