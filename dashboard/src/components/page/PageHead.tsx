import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { dashboardName } from '../../data/look.ts';

interface PageHeadProps {
  /** What kind of thing the page is about. */
  readonly kind?: ComponentChildren;
  readonly title: ComponentChildren;
  readonly children?: ComponentChildren;
}

/** The head of a page: what it is about. A title that is a text is also that of the document. */
export function PageHead({ kind, title, children }: PageHeadProps) {
  useEffect(() => {
    if (typeof title === 'string') document.title = `${title} · ${dashboardName}`;
  }, [title]);
  return (
    <div class="page-head">
      {kind === undefined ? null : <p class="kind">{kind}</p>}
      <h1>{title}</h1>
      {children === undefined ? null : <div class="page-facts">{children}</div>}
    </div>
  );
}
