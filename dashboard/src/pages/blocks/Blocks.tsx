import { SaveList } from '../../components/lists/SaveButtons.tsx';
import { Card } from '../../components/page/Card.tsx';
import { Page } from '../../components/page/Page.tsx';
import { PageHead } from '../../components/page/PageHead.tsx';
import { Table } from '../../components/Table.tsx';
import { Time } from '../../components/Time.tsx';
import { usePage } from '../../data/usePage.ts';
import { shorten } from '../../format/addresses.ts';
import { bytes, count } from '../../format/numbers.ts';
import { BlocksDocument, BlocksLiveDocument } from '../../gen/graphql.ts';
import { chainTexts } from '../../language/chain/texts.ts';
import { texts } from '../../language/language.ts';
import { parameters, setParameters, urlOf } from '../../routing/router.ts';

/** The blocks, newest first: from the head, or from the height in the URL. */
export function Blocks() {
  const from = parameters.value.get('from');
  const state = usePage({ past: BlocksDocument, live: BlocksLiveDocument }, { from });
  return (
    <Page title={texts.value.shell.blocks} state={state}>
      {({ blocks }) => {
        const rows = blocks?.nodes ?? [];
        const last = rows.at(-1);
        return (
          <>
            <PageHead title={texts.value.shell.blocks} />
            <Card
              title={from === null ? chainTexts.value.block.newest : chainTexts.value.block.upTo(count(from))}
              aside={
                rows.length === 0 ? null : (
                  <SaveList name={texts.value.shell.blocks} list="blocks" {...(from !== null && { of: from })} />
                )
              }
            >
              <Table
                name={texts.value.shell.blocks}
                rows={rows}
                keyOf={({ height }) => height}
                columns={[
                  {
                    name: texts.value.words.height,
                    cell: ({ height }) => <a href={urlOf(`/blocks/${height}`)}>{count(height)}</a>,
                  },
                  {
                    name: texts.value.words.hash,
                    class: 'wide',
                    cell: ({ hash }) => <span class="mono muted">{shorten(hash, [8, 4])}</span>,
                  },
                  {
                    name: chainTexts.value.block.proposer,
                    class: 'wide',
                    cell: ({ proposer }) => proposer?.moniker ?? shorten(proposer?.address ?? ''),
                  },
                  { name: texts.value.words.transactions, class: 'num', cell: ({ numTxs }) => count(numTxs) },
                  {
                    name: chainTexts.value.block.size,
                    class: 'num wide',
                    cell: ({ blockSize }) => (blockSize === null ? '–' : bytes(blockSize)),
                  },
                  { name: texts.value.words.age, class: 'num', cell: ({ time }) => <Time of={time} /> },
                ]}
              />
              <nav class="pager" aria-label={texts.value.parts.pages}>
                <button
                  type="button"
                  class="button small"
                  disabled={from === null}
                  onClick={() => setParameters({ from: undefined })}
                >
                  {chainTexts.value.block.newest}
                </button>
                <button
                  type="button"
                  class="button small"
                  disabled={last === undefined || last.height === '1' || !blocks?.pageInfo.hasNextPage}
                  onClick={() => setParameters({ from: String(BigInt(last?.height ?? 1) - 1n) })}
                >
                  {chainTexts.value.block.older}
                </button>
              </nav>
            </Card>
          </>
        );
      }}
    </Page>
  );
}
