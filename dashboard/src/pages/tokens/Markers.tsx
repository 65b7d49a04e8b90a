import { Amount, tokenUrl, Value } from '../../components/Amount.tsx';
import { Badge } from '../../components/Badge.tsx';
import { Pager } from '../../components/Pager.tsx';
import { Card, Empty, Unread } from '../../components/page/Card.tsx';
import { Page } from '../../components/page/Page.tsx';
import { PageHead } from '../../components/page/PageHead.tsx';
import { Table } from '../../components/Table.tsx';
import { usePage } from '../../data/usePage.ts';
import { countOf } from '../../format/numbers.ts';
import { MarkersDocument, MarkersLiveDocument } from '../../gen/graphql.ts';
import { parameters } from '../../routing/router.ts';

/** The tokens of a chain with markers: all that have one. */
export function Markers() {
  const state = usePage({ past: MarkersDocument, live: MarkersLiveDocument }, { after: parameters.value.get('after') });
  return (
    <Page title="Tokens" state={state}>
      {({ markers }) => (
        <>
          <PageHead title="Tokens">
            {markers?.totalCount ? <span class="muted">{countOf(markers.totalCount, 'marker')}</span> : null}
          </PageHead>
          <Card title="Markers">
            {markers === null ? <Unread /> : null}
            {markers?.nodes.length === 0 ? <Empty>The chain has no markers.</Empty> : null}
            {markers === null || markers.nodes.length === 0 ? null : (
              <>
                <Table
                  name="Tokens"
                  rows={markers.nodes}
                  keyOf={({ denom }) => denom}
                  columns={[
                    {
                      name: 'Token',
                      class: 'fill',
                      cell: ({ denom, metadata }) => (
                        <>
                          <a href={tokenUrl(denom)}>{metadata?.name || denom}</a>
                          {metadata?.name ? <span class="muted small block">{denom}</span> : null}
                        </>
                      ),
                    },
                    {
                      name: 'Supply',
                      class: 'num',
                      cell: ({ circulation }) => circulation && <Amount of={circulation} isPlain />,
                    },
                    { name: 'Value', class: 'num wide', cell: ({ circulation }) => <Value of={circulation?.value ?? null} /> },
                    {
                      name: 'Price',
                      class: 'num wide',
                      cell: ({ netAssetValues }) => {
                        const price = netAssetValues?.[0]?.pricePerDisplayUnit;
                        return price ? <Value of={{ ...price, display: price }} /> : <span class="muted">–</span>;
                      },
                    },
                    { name: 'Transfers', class: 'wide', cell: ({ markerType }) => <Badge of={markerType} /> },
                    { name: 'Status', cell: ({ status }) => <Badge of={status} /> },
                  ]}
                />
                <Pager info={markers.pageInfo} />
              </>
            )}
          </Card>
        </>
      )}
    </Page>
  );
}
