import { useEffect } from 'preact/hooks';
import { Failure } from '../../components/page/Failure.tsx';
import { HeadOnly } from '../../components/page/HeadOnly.tsx';
import { Notice } from '../../components/page/Notice.tsx';
import { PageHead } from '../../components/page/PageHead.tsx';
import { PageSkeleton } from '../../components/page/Skeleton.tsx';
import { dashboardName } from '../../data/look.ts';
import { countOf } from '../../format/numbers.ts';
import { exploreTexts } from '../../language/explore/texts.ts';
import { texts } from '../../language/language.ts';
import { navigate, parameters, setParameters, urlOf } from '../../routing/router.ts';
import { readMethods, searchMethods } from './model/methods.ts';
import { useSchema } from './schema.ts';

/** Every query method of the chain, by module, with a search. */
export function Explore() {
  const { data: groups, failure } = useSchema(readMethods, '');
  const text = parameters.value.get('q') ?? '';
  useEffect(() => {
    document.title = `${texts.value.shell.explore} · ${dashboardName}`;
  }, []);
  if (groups === undefined) return failure === undefined ? <PageSkeleton /> : <Failure error={failure} />;
  if (groups.length === 0)
    return (
      <Notice title={exploreTexts.value.list.nothing}>
        <p>{exploreTexts.value.list.nothingWhy}</p>
      </Notice>
    );
  const matches = searchMethods(groups, text);
  const number = matches.reduce((sum, { methods }) => sum + methods.length, 0);
  const [first] = matches.flatMap(({ methods }) => methods);
  return (
    <div class="page" aria-busy="false">
      <HeadOnly />
      <PageHead kind={texts.value.shell.explore} title={exploreTexts.value.list.title}>
        <span class="muted">{exploreTexts.value.list.lead}</span>
      </PageHead>
      <form
        class="method-search"
        onSubmit={(event) => {
          event.preventDefault();
          if (text !== '' && first !== undefined) navigate(`/explore/${first.id}`);
        }}
      >
        <input
          type="search"
          aria-label={exploreTexts.value.list.search}
          placeholder={exploreTexts.value.list.searchHint}
          autocomplete="off"
          spellcheck={false}
          value={text}
          onInput={({ currentTarget: { value } }) => setParameters({ q: value === '' ? undefined : value }, { replace: true })}
        />
        <output class="muted small">
          {countOf(number, texts.value.counts.methods)} {texts.value.words.in}{' '}
          {countOf(matches.length, texts.value.counts.modules)}
        </output>
      </form>
      {matches.length === 0 ? (
        <p class="empty">{exploreTexts.value.list.noMethod(text)}</p>
      ) : (
        <div class="method-groups">
          {matches.map(({ module, methods }) => (
            <section key={module} class="card" aria-labelledby={`module-${module}`}>
              <h2 id={`module-${module}`} class="mono">
                {module}
              </h2>
              <ul class="methods">
                {methods.map(({ id, name }) => (
                  <li key={id}>
                    <a href={urlOf(`/explore/${id}`)}>{name}</a>
                  </li>
                ))}
              </ul>
            </section>
          ))}
        </div>
      )}
    </div>
  );
}
