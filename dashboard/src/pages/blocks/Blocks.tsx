import { Card } from '../../components/page/Card.tsx';
import { Page } from '../../components/page/Page.tsx';
import { PageHead } from '../../components/page/PageHead.tsx';
import { Table } from '../../components/Table.tsx';
import { Time } from '../../components/Time.tsx';
import { usePage } from '../../data/usePage.ts';
import { shorten } from '../../format/addresses.ts';
import { bytes, count } from '../../format/numbers.ts';
import { BlocksDocument, BlocksLiveDocument } from '../../gen/graphql.ts';
import { parameters, setParameters, urlOf } from '../../routing/router.ts';

/** The blocks, newest first: from the head, or from the height in the URL. */
export function Blocks() {
  const from = parameters.value.get('from');
  const state = usePage({ past: BlocksDocument, live: BlocksLiveDocument }, { from });
  return (
    <Page title="Blocks" state={state}>
      {({ blocks }) => {
        const rows = blocks?.nodes ?? [];
        const last = rows.at(-1);
        return (
          <>
            <PageHead title="Blocks" />
            <Card title={from === null ? 'Newest' : `Up to block ${count(from)}`}>
              <Table
                name="Blocks"
                rows={rows}
                keyOf={({ height }) => height}
                columns={[
                  { name: 'Height', cell: ({ height }) => <a href={urlOf(`/blocks/${height}`)}>{count(height)}</a> },
                  { name: 'Hash', class: 'wide', cell: ({ hash }) => <span class="mono muted">{shorten(hash, [8, 4])}</span> },
                  {
                    name: 'Proposer',
                    class: 'fill',
                    cell: ({ proposer }) => proposer?.moniker ?? shorten(proposer?.address ?? ''),
                  },
                  { name: 'Transactions', class: 'num', cell: ({ numTxs }) => count(numTxs) },
                  { name: 'Size', class: 'num wide', cell: ({ blockSize }) => (blockSize === null ? '–' : bytes(blockSize)) },
                  { name: 'Age', class: 'num', cell: ({ time }) => <Time of={time} /> },
                ]}
              />
              <nav class="pager" aria-label="Pages">
                <button
                  type="button"
                  class="button small"
                  disabled={from === null}
                  onClick={() => setParameters({ from: undefined })}
                >
                  Newest
                </button>
                <button
                  type="button"
                  class="button small"
                  disabled={last === undefined || last.height === '1' || !blocks?.pageInfo.hasNextPage}
                  onClick={() => setParameters({ from: String(BigInt(last?.height ?? 1) - 1n) })}
                >
                  Older
                </button>
              </nav>
            </Card>
          </>
        );
      }}
    </Page>
  );
}
