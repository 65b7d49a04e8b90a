import type { ComponentType, FunctionComponent } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';
import { texts } from '../../language/language.ts';
import type { PathParts } from '../../routing/router.ts';
import { Notice } from './Notice.tsx';
import { PageSkeleton } from './Skeleton.tsx';

/** A page whose code is loaded when it is first opened, or earlier by `begin`. */
export interface LazyPage extends FunctionComponent<PathParts> {
  /** Loads the code, if it is not loaded. Resolves when it is. */
  begin(): Promise<void>;
}

/** Creates a page whose code is loaded when it is first opened. */
export function lazyPage(load: () => Promise<ComponentType<PathParts>>): LazyPage {
  let page: ComponentType<PathParts> | undefined;
  let attempt: Promise<void> | undefined;
  const begin = async (): Promise<void> => {
    attempt ??= load().then((loaded) => {
      page = loaded;
    });
    // A failed attempt is not kept.
    return attempt.catch((error: unknown) => {
      attempt = undefined;
      throw error;
    });
  };
  function LazyPage(parts: PathParts) {
    const [state, setState] = useState<'loading' | 'loaded' | 'failed'>(page === undefined ? 'loading' : 'loaded');
    useLayoutEffect(() => {
      // Also if the code has arrived since the first rendering.
      if (state === 'loading')
        begin().then(
          () => setState('loaded'),
          () => setState('failed'),
        );
    }, []);
    const Page = page;
    if (Page !== undefined) return <Page {...parts} />;
    if (state === 'loading') return <PageSkeleton />;
    return (
      <Notice title={texts.value.failure.notLoaded}>
        <p>{texts.value.failure.notLoadedWhy}</p>
      </Notice>
    );
  }
  return Object.assign(LazyPage, { begin });
}
