import { useEffect } from 'preact/hooks';
import { Failure } from '../../components/page/Failure.tsx';
import { HeadOnly } from '../../components/page/HeadOnly.tsx';
import { Notice } from '../../components/page/Notice.tsx';
import { PageHead } from '../../components/page/PageHead.tsx';
import { PageSkeleton } from '../../components/page/Skeleton.tsx';
import { countOf } from '../../format/numbers.ts';
import { navigate, parameters, setParameters, urlOf } from '../../routing/router.ts';
import { readMethods, searchMethods } from './model/methods.ts';
import { useSchema } from './schema.ts';

/** Every query method of the chain, by module, with a search. */
export function Explore() {
  const { data: groups, failure } = useSchema(readMethods, '');
  const text = parameters.value.get('q') ?? '';
  useEffect(() => {
    document.title = 'Explore · Stele';
  }, []);
  if (groups === undefined) return failure === undefined ? <PageSkeleton /> : <Failure error={failure} />;
  if (groups.length === 0)
    return (
      <Notice title="This server has no methods to explore">
        <p>Its schema has no types of the chain. The operator sets them with --typed.</p>
      </Notice>
    );
  const matches = searchMethods(groups, text);
  const number = matches.reduce((sum, { methods }) => sum + methods.length, 0);
  const [first] = matches.flatMap(({ methods }) => methods);
  return (
    <div class="page" aria-busy="false">
      <HeadOnly />
      <PageHead kind="Explore" title="Every query of the chain">
        <span class="muted">Choose a method, fill in its arguments, and read the result at any height.</span>
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
          aria-label="Search a method"
          placeholder="Search a method, such as bank balance"
          autocomplete="off"
          spellcheck={false}
          value={text}
          onInput={({ currentTarget: { value } }) => setParameters({ q: value === '' ? undefined : value }, { replace: true })}
        />
        <output class="muted small">
          {countOf(number, 'method')} in {countOf(matches.length, 'module')}
        </output>
      </form>
      {matches.length === 0 ? (
        <p class="empty">No method has “{text}” in its name.</p>
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
