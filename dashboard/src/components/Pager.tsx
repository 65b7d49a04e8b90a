import { texts } from '../language/language.ts';
import { parameters, setParameters } from '../routing/router.ts';

interface PagerProps {
  readonly info: { readonly hasNextPage: boolean; readonly endCursor: string | null };
  /** The parameter of the URL that holds the cursor. */
  readonly name?: string;
}

/** Links to the next page and to the first one. Nothing if there is only one. */
export function Pager({ info, name = 'after' }: PagerProps) {
  const isFirst = parameters.value.get(name) === null;
  if (isFirst && !info.hasNextPage) return null;
  return (
    <nav class="pager" aria-label={texts.value.parts.pages}>
      <button type="button" class="button small" disabled={isFirst} onClick={() => setParameters({ [name]: undefined })}>
        {texts.value.parts.firstPage}
      </button>
      <button
        type="button"
        class="button small"
        disabled={!info.hasNextPage || info.endCursor === null}
        onClick={() => setParameters({ [name]: info.endCursor ?? undefined })}
      >
        {texts.value.parts.nextPage}
      </button>
    </nav>
  );
}
