import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { Notice } from '../../components/page/Notice.tsx';
import { usePage } from '../../data/usePage.ts';
import { HeadDocument, HeadLiveDocument } from '../../gen/graphql.ts';

/** Instead of a page that does not exist: why. It reads nothing but the newest block, which the bar above it shows. */
export function NoPage({ title, children }: { readonly title: string; readonly children: ComponentChildren }) {
  usePage({ past: HeadDocument, live: HeadLiveDocument }, {});
  useEffect(() => {
    document.title = `${title} · Stele`;
  }, [title]);
  return <Notice title={title}>{children}</Notice>;
}
