import { SteleError } from '@stele/client';
import { useEffect, useState } from 'preact/hooks';
import { Failure } from '../../components/page/Failure.tsx';
import { HeadOnly } from '../../components/page/HeadOnly.tsx';
import { Notice } from '../../components/page/Notice.tsx';
import { PageHead } from '../../components/page/PageHead.tsx';
import { Skeleton } from '../../components/page/Skeleton.tsx';
import { type Finds, find } from '../../components/search/find.ts';
import { asFailure } from '../../data/failures.ts';
import { dashboardName } from '../../data/look.ts';
import { hasModule } from '../../data/modules.ts';
import { texts } from '../../language/language.ts';
import { serverTexts } from '../../language/server/texts.ts';
import { navigate, parameters, urlOf } from '../../routing/router.ts';

/** The most results that the page shows. */
const mostResults = 50;

/** What a text means: the page opens at once if it means one thing. */
export function Search() {
  return (
    <>
      <HeadOnly />
      <Results />
    </>
  );
}

function Results() {
  const text = parameters.value.get('q') ?? '';
  const [results, setResults] = useState<Finds | SteleError | undefined>(undefined);

  useEffect(() => {
    let isGone = false;
    document.title = `${text} · ${dashboardName}`;
    setResults(undefined);
    find(text, mostResults).then(
      (hit) => {
        if (isGone) return;
        const [first, ...others] = hit.items;
        const target = hit.exact ?? (others.length === 0 ? first : undefined);
        if (target !== undefined) navigate(target.path, { replace: true });
        else setResults(hit);
      },
      (error: unknown) => !isGone && setResults(asFailure(error)),
    );
    return () => {
      isGone = true;
    };
  }, [text]);

  if (results instanceof SteleError) return <Failure error={results} />;
  if (results?.items.length === 0)
    return (
      <Notice title={serverTexts.value.search.nothing(text)}>
        {serverTexts.value.search.hint}{' '}
        {hasModule('group') ? serverTexts.value.search.hintGroup : serverTexts.value.search.hintProposal}{' '}
        {hasModule('name') ? serverTexts.value.search.hintName : null}
      </Notice>
    );
  return (
    <div class="page" aria-busy={results === undefined}>
      <PageHead kind={serverTexts.value.search.title} title={text} />
      {results === undefined ? (
        <Skeleton lines={3} />
      ) : (
        <ul class="results">
          {results.items.map(({ kind, name, path }, index) => (
            <li key={`${path} ${index}`}>
              <a href={urlOf(path)}>
                <span class="muted">{texts.value.found[kind]}</span> {name}
              </a>
            </li>
          ))}
        </ul>
      )}
      {results?.hasMore ? <p class="muted">{serverTexts.value.search.more}</p> : null}
    </div>
  );
}
