import { Notice } from '../../components/page/Notice.tsx';
import { Page } from '../../components/page/Page.tsx';
import type { Module } from '../../data/modules.ts';
import { usePage } from '../../data/usePage.ts';
import { HeadDocument, HeadLiveDocument } from '../../gen/graphql.ts';
import { urlOf } from '../../routing/router.ts';

/** Instead of a page about a module that the chain does not have. */
export function Absent({ module }: { readonly module: Module }) {
  const state = usePage({ past: HeadDocument, live: HeadLiveDocument }, {});
  return (
    <Page title={`No module ${module}`} state={state}>
      {() => (
        <Notice title={`This chain has no module “${module}”`}>
          <p>So it has nothing that this page could show.</p>
          <p>
            See its <a href={urlOf('/blocks')}>blocks</a>, its <a href={urlOf('/tokens')}>tokens</a> or its{' '}
            <a href={urlOf('/validators')}>validators</a>, or search for an address or a transaction.
          </p>
        </Notice>
      )}
    </Page>
  );
}
