import { Amount, Value } from '../../components/Amount.tsx';
import { Badge } from '../../components/Badge.tsx';
import { Page } from '../../components/page/Page.tsx';
import { PageHead } from '../../components/page/PageHead.tsx';
import { hasModule } from '../../data/modules.ts';
import { usePage } from '../../data/usePage.ts';
import { useRead } from '../../data/useRead.ts';
import { countOf } from '../../format/numbers.ts';
import { TokenDocument, TokenHistoryDocument, TokenLiveDocument } from '../../gen/graphql.ts';
import { chainTexts } from '../../language/chain/texts.ts';
import { texts } from '../../language/language.ts';
import { at, type PathParts, parameters } from '../../routing/router.ts';
import { LazyDistribution } from '../trends/lazyTrends.ts';
import { Holders } from './Holders.tsx';
import { MarkerCard } from './MarkerCard.tsx';
import { Prices } from './Prices.tsx';
import { Transfers } from './Transfers.tsx';

/** A token: its supply, its price over time, its holders, its transfers, and its marker. */
export function Token({ denom = '' }: PathParts) {
  const hasMarkers = hasModule('marker');
  const state = usePage(
    { past: TokenDocument, live: TokenLiveDocument },
    { denom, marker: hasMarkers, after: parameters.value.get('after') },
  );
  // Searches cannot be live: they are read again when the token has changed.
  const history = useRead(TokenHistoryDocument, { denom, marker: hasMarkers }, state.changed);
  return (
    <Page title={denom} state={state}>
      {({ supplyOf: supply, denomMetadata: metadata, marker, holders }) => (
        <>
          <PageHead kind={metadata?.name ? denom : texts.value.words.token} title={metadata?.name || denom}>
            {supply === null ? null : <Amount of={supply} isPlain />}
            {supply?.value ? <Value of={supply.value} /> : null}
            {marker === null ? <span class="muted">{chainTexts.value.token.withoutMarker}</span> : null}
            {marker ? <Badge of={marker.status} /> : null}
            {marker ? <Badge of={marker.markerType} /> : null}
            {holders?.totalCount ? <span>{countOf(holders.totalCount, texts.value.counts.holders)}</span> : null}
          </PageHead>
          {metadata?.description ? <p class="lead">{metadata.description}</p> : null}
          <div class={hasMarkers ? 'grid two' : 'grid'}>
            {hasMarkers ? <Prices denom={denom} of={history.data?.marker} isLoading={history.data === undefined} /> : null}
            <Holders denom={denom} of={holders} />
          </div>
          <LazyDistribution key={[denom, at.value].join()} denom={denom} height={state.changed} />
          <Transfers denom={denom} of={history} />
          <MarkerCard of={marker} units={metadata?.denomUnits ?? []} />
        </>
      )}
    </Page>
  );
}
