import { Amount, tokenUrl } from '../../components/Amount.tsx';
import { SaveList } from '../../components/lists/SaveButtons.tsx';
import { Pager } from '../../components/Pager.tsx';
import { Card, Empty, Unread } from '../../components/page/Card.tsx';
import { Page } from '../../components/page/Page.tsx';
import { PageHead } from '../../components/page/PageHead.tsx';
import { Table } from '../../components/Table.tsx';
import { usePage } from '../../data/usePage.ts';
import { countOf } from '../../format/numbers.ts';
import { SuppliesDocument, SuppliesLiveDocument } from '../../gen/graphql.ts';
import { chainTexts } from '../../language/chain/texts.ts';
import { texts } from '../../language/language.ts';
import { parameters } from '../../routing/router.ts';

/** The tokens of a chain without markers: every denom of which units exist. */
export function Supplies() {
  const state = usePage({ past: SuppliesDocument, live: SuppliesLiveDocument }, { after: parameters.value.get('after') });
  return (
    <Page title={texts.value.shell.tokens} state={state}>
      {({ totalSupply: supply }) => (
        <>
          <PageHead title={texts.value.shell.tokens}>
            {supply?.totalCount ? <span class="muted">{countOf(supply.totalCount, texts.value.counts.tokens)}</span> : null}
          </PageHead>
          <Card
            title={texts.value.words.supply}
            aside={
              supply === null || supply.nodes.length === 0 ? null : <SaveList name={texts.value.words.supply} list="supplies" />
            }
          >
            {supply === null ? <Unread /> : null}
            {supply?.nodes.length === 0 ? <Empty>{chainTexts.value.token.noTokens}</Empty> : null}
            {supply === null || supply.nodes.length === 0 ? null : (
              <>
                <Table
                  name={texts.value.shell.tokens}
                  rows={supply.nodes}
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
                    { name: texts.value.words.supply, class: 'num', cell: (coin) => <Amount of={coin} isPlain /> },
                    { name: chainTexts.value.token.description, class: 'wide', cell: ({ metadata }) => metadata?.description },
                  ]}
                />
                <Pager info={supply.pageInfo} />
              </>
            )}
          </Card>
        </>
      )}
    </Page>
  );
}
