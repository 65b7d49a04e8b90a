import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { HeadOnly } from '../../components/page/HeadOnly.tsx';
import { Notice } from '../../components/page/Notice.tsx';
import { dashboardName } from '../../data/look.ts';

/** Instead of a page that does not exist: why. It reads nothing but the newest block, which the bar above it shows. */
export function NoPage({ title, children }: { readonly title: string; readonly children: ComponentChildren }) {
  useEffect(() => {
    document.title = `${title} · ${dashboardName}`;
  }, [title]);
  return (
    <>
      <HeadOnly />
      <Notice title={title}>{children}</Notice>
    </>
  );
}
