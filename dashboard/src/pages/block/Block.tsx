import { Amounts } from '../../components/Amount.tsx';
import { Events } from '../../components/Events.tsx';
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
import { type PathParts, parameters, urlOf } from '../../routing/router.ts';
import { Signatures } from './Signatures.tsx';

/** A block: its transactions in words, its events, and who signed the block before it. */
export function Block({ height = '' }: PathParts) {
  const state = usePage({ past: BlockDocument, live: BlockLiveDocument }, { height, after: parameters.value.get('after') });
  return (
    <Page title={`Block ${height}`} state={state}>
      {({ block, head }) => {
        if (block === null) return <Notice title={`Block ${height} cannot be shown`}>No node has it.</Notice>;
        const number = BigInt(block.height);
        const isNewest = head !== null && number >= BigInt(head.height);
        const rows = block.transactions?.nodes ?? [];
        const fees = rows.flatMap(({ fee }) => fee?.amount ?? []);
        return (
          <>
            <PageHead kind="Block" title={count(block.height)}>
              <span>
                <Time of={block.time} /> <span class="muted">({block.time})</span>
              </span>
              <nav class="row" aria-label="Neighbours">
                {number > 1n ? <a href={urlOf(`/blocks/${number - 1n}`)}>Previous</a> : null}
                {isNewest ? null : <a href={urlOf(`/blocks/${number + 1n}`)}>Next</a>}
              </nav>
            </PageHead>
            <div class="grid two">
              <Card title="Block">
                <Facts
                  of={[
                    ['Hash', <code class="break">{block.hash}</code>],
                    ['Proposer', block.proposer?.moniker ?? block.proposer?.address],
                    ['Size', block.blockSize === null ? null : bytes(block.blockSize)],
                    ['Fees', fees.length === 0 ? null : <Amounts of={fees.slice(0, 3)} />],
                    ['App hash', <code class="break">{block.header.appHash}</code>],
                    ['Previous block', <code class="break">{block.header.lastBlockId.hash || '–'}</code>],
                  ]}
                />
              </Card>
              <Signatures of={block.lastCommit} />
            </div>
            <Card title={countOf(block.numTxs, 'transaction')}>
              {rows.length === 0 ? (
                <Empty>The block has no transactions.</Empty>
              ) : (
                <TransactionTable of={rows} name="Transactions" />
              )}
              {block.transactions === null ? null : <Pager info={block.transactions.pageInfo} />}
            </Card>
            <Card title="Events of the block itself">
              <Events of={block.results?.finalizeBlockEvents ?? []} />
            </Card>
          </>
        );
      }}
    </Page>
  );
}
