import { SteleError } from '@stele/client';
import { useEffect, useState } from 'preact/hooks';
import { Failure } from '../../components/page/Failure.tsx';
import { HeadOnly } from '../../components/page/HeadOnly.tsx';
import { Notice } from '../../components/page/Notice.tsx';
import { PageHead } from '../../components/page/PageHead.tsx';
import { Skeleton } from '../../components/page/Skeleton.tsx';
import { asFailure } from '../../data/failures.ts';
import { hasModule } from '../../data/modules.ts';
import { navigate, parameters, urlOf } from '../../routing/router.ts';
import { type Found, find } from './find.ts';

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
  const [results, setResults] = useState<readonly Found[] | SteleError | undefined>(undefined);

  useEffect(() => {
    let isGone = false;
    document.title = `${text} · Stele`;
    setResults(undefined);
    find(text).then(
      (hit) => {
        if (isGone) return;
        const [only, ...others] = hit;
        if (only !== undefined && others.length === 0) navigate(only.path, { replace: true });
        else setResults(hit);
      },
      (error: unknown) => !isGone && setResults(asFailure(error)),
    );
    return () => {
      isGone = true;
    };
  }, [text]);

  if (results instanceof SteleError) return <Failure error={results} />;
  if (results?.length === 0)
    return (
      <Notice title={`Nothing was found for “${text}”`}>
        Search for an address, the hash of a transaction or a block, a height,{' '}
        {hasModule('group') ? 'the number of a proposal or a group, ' : ''}
        {hasModule('name') ? 'a denom, or a name such as kyc.pb.' : 'or a denom.'}
      </Notice>
    );
  return (
    <div class="page" aria-busy={results === undefined}>
      <PageHead kind="Search" title={text} />
      {results === undefined ? (
        <Skeleton lines={3} />
      ) : (
        <ul class="results">
          {results.map(({ kind, name, path }) => (
            <li key={path}>
              <a href={urlOf(path)}>
                <span class="muted">{kind}</span> {name}
              </a>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
