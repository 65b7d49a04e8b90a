import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { PathParts } from '../../routing/router.ts';
import { Notice } from './Notice.tsx';
import { PageSkeleton } from './Skeleton.tsx';

/** A page whose code is loaded when it is first opened. */
export function lazyPage(load: () => Promise<ComponentType<PathParts>>): ComponentType<PathParts> {
  let page: ComponentType<PathParts> | undefined;
  return function LazyPage(parts: PathParts) {
    const [state, setState] = useState<'loading' | 'loaded' | 'failed'>(page === undefined ? 'loading' : 'loaded');
    useEffect(() => {
      if (page !== undefined) return;
      load().then(
        (loaded) => {
          page = loaded;
          setState('loaded');
        },
        () => setState('failed'),
      );
    }, []);
    const Page = page;
    if (Page !== undefined) return <Page {...parts} />;
    if (state === 'loading') return <PageSkeleton />;
    return (
      <Notice title="This page could not be loaded">
        <p>The server does not answer, or has another version. Load the page again.</p>
      </Notice>
    );
  };
}
