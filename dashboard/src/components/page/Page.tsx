import type { SteleError } from '@stele/client';
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { dashboardName } from '../../data/look.ts';
import type { PageState, WithHead } from '../../data/usePage.ts';
import { Failure } from './Failure.tsx';
import { Partial } from './Partial.tsx';
import { PageSkeleton } from './Skeleton.tsx';

interface PageProps<T> {
  /** The title of the document. */
  readonly title: string;
  readonly state: PageState<T>;
  /** Whether the page has content of the archive, or waits for it, so that it is shown although the chain could not be read. */
  readonly hasRecords?: boolean;
  /** The field that the page is about, if the document has others beside it. */
  readonly subject?: keyof T;
  readonly children: (data: T) => ComponentChildren;
}

/** Whether the page cannot show the data that it has, because it is asked for something else. */
const isFinal = ({ code }: SteleError): boolean =>
  ['HEIGHT_PRUNED', 'HEIGHT_NOT_YET_AVAILABLE', 'BAD_USER_INPUT', 'BAD_CURSOR', 'FORBIDDEN', 'OPERATION_TOO_COMPLEX'].includes(
    code,
  );

/** Whether everything but the head is null, or the field that the page is about. */
const isEmpty = <T extends WithHead>(data: T, subject: keyof T | undefined): boolean =>
  subject === undefined
    ? Object.entries(data).every(([name, value]) => name === 'head' || value === null)
    : data[subject] === null;

/** A page: its content, a skeleton while it is loading, or why there is none. */
export function Page<T extends WithHead>({ title, state, hasRecords = false, subject, children }: PageProps<T>) {
  useEffect(() => {
    document.title = `${title} · ${dashboardName}`;
  }, [title]);
  const { data, failure, partial, isStale } = state;
  if (failure !== undefined && (data === undefined || isFinal(failure))) return <Failure error={failure} />;
  if (data === undefined) return <PageSkeleton />;
  // Nothing that the page is about could be read. Its parts would say that there is nothing.
  const [first] = partial;
  if (first !== undefined && isEmpty(data, subject) && !hasRecords) return <Failure error={first} />;
  return (
    <div class="page" aria-busy={isStale} data-stale={isStale}>
      {children(data)}
      <Partial errors={partial} />
    </div>
  );
}
