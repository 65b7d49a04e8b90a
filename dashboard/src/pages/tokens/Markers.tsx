import { Amount, tokenUrl, Value } from '../../components/Amount.tsx';
import { Badge } from '../../components/Badge.tsx';
import { SaveList } from '../../components/lists/SaveButtons.tsx';
import { Pager } from '../../components/Pager.tsx';
import { Card, Empty, Unread } from '../../components/page/Card.tsx';
import { Page } from '../../components/page/Page.tsx';
import { PageHead } from '../../components/page/PageHead.tsx';
import { Table } from '../../components/Table.tsx';
import { usePage } from '../../data/usePage.ts';
import { countOf } from '../../format/numbers.ts';
import { MarkersDocument, MarkersLiveDocument } from '../../gen/graphql.ts';
import { chainTexts } from '../../language/chain/texts.ts';
import { texts } from '../../language/language.ts';
import { parameters } from '../../routing/router.ts';

/** The tokens of a chain with markers: all that have one. */
export function Markers() {
  const state = usePage({ past: MarkersDocument, live: MarkersLiveDocument }, { after: parameters.value.get('after') });
  return (
    <Page title={texts.value.shell.tokens} state={state}>
      {({ markers }) => (
        <>
          <PageHead title={texts.value.shell.tokens}>
            {markers?.totalCount ? <span class="muted">{countOf(markers.totalCount, texts.value.counts.markers)}</span> : null}
          </PageHead>
          <Card
            title={chainTexts.value.token.markers}
            aside={
              markers === null || markers.nodes.length === 0 ? null : (
                <SaveList name={chainTexts.value.token.markers} list="markers" />
              )
            }
          >
            {markers === null ? <Unread /> : null}
            {markers?.nodes.length === 0 ? <Empty>{chainTexts.value.token.noMarkers}</Empty> : null}
            {markers === null || markers.nodes.length === 0 ? null : (
              <>
                <Table
                  name={texts.value.shell.tokens}
                  rows={markers.nodes}
                  keyOf={({ denom }) => denom}
                  columns={[
                    {
                      name: texts.value.words.token,
                      class: 'fill',
                      cell: ({ denom, metadata }) => (
                        <>
                          <a href={tokenUrl(denom)}>{metadata?.name || denom}</a>
                          {metadata?.name ? <span class="muted small block">{denom}</span> : null}
                        </>
                      ),
                    },
                    {
                      name: texts.value.words.supply,
                      class: 'num',
                      cell: ({ circulation }) => circulation && <Amount of={circulation} isPlain />,
                    },
                    {
                      name: texts.value.words.value,
                      class: 'num wide',
                      cell: ({ circulation }) => <Value of={circulation?.value ?? null} />,
                    },
                    {
                      name: chainTexts.value.token.price,
                      class: 'num wide',
                      cell: ({ netAssetValues }) => {
                        const price = netAssetValues?.[0]?.pricePerDisplayUnit;
                        return price ? <Value of={{ ...price, display: price }} /> : <span class="muted">–</span>;
                      },
                    },
                    { name: texts.value.words.transfers, class: 'wide', cell: ({ markerType }) => <Badge of={markerType} /> },
                    { name: texts.value.words.status, cell: ({ status }) => <Badge of={status} /> },
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
