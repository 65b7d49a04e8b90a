import { useEffect } from 'preact/hooks';
import { Tag } from '../../components/Badge.tsx';
import { Card } from '../../components/page/Card.tsx';
import { Failure } from '../../components/page/Failure.tsx';
import { HeadOnly } from '../../components/page/HeadOnly.tsx';
import { Notice } from '../../components/page/Notice.tsx';
import { PageHead } from '../../components/page/PageHead.tsx';
import { PageSkeleton, Skeleton } from '../../components/page/Skeleton.tsx';
import { dashboardName } from '../../data/look.ts';
import { exploreTexts } from '../../language/explore/texts.ts';
import { texts } from '../../language/language.ts';
import { type PathParts, parameters, urlOf } from '../../routing/router.ts';
import { ArgumentForm } from './ArgumentForm.tsx';
import { readInputTypes } from './model/form.ts';
import { type Method, readMethod } from './model/methods.ts';
import { readShape } from './model/shape.ts';
import { Result } from './Result.tsx';
import { useSchema } from './schema.ts';

/** The arguments in the URL. undefined without any; null if they cannot be read. */
function argumentsIn(text: string | null): object | null | undefined {
  if (text === null) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}

/** A method of the chain: a form for its arguments, and its result. */
export function ExploreMethod({ method: id = '' }: PathParts) {
  const { data, failure } = useSchema(async (types) => ({ method: await readMethod(types, id) }), id);
  useEffect(() => {
    document.title = `${id} · ${dashboardName}`;
  }, [id]);
  if (data === undefined) return failure === undefined ? <PageSkeleton /> : <Failure error={failure} />;
  if (data.method === undefined)
    return (
      <Notice title={exploreTexts.value.method.unknown}>
        <p>
          {exploreTexts.value.method.schemaLacks} {id}. <a href={urlOf('/explore')}>{exploreTexts.value.method.showAll}</a>.
        </p>
      </Notice>
    );
  return <Exploration method={data.method} />;
}

function Exploration({ method }: { readonly method: Method }) {
  const { id, name, module, chainName, about, hasHeight } = method;
  const inputs = useSchema((types) => readInputTypes(types, [...method.args, ...method.pageArgs]), id);
  const shape = useSchema((types) => readShape(types, method), id);
  const text = parameters.value.get('args');
  const urlArgs = argumentsIn(text);
  // A method without arguments of its own needs nobody to press a button.
  const args = urlArgs === undefined && method.args.length === 0 ? {} : urlArgs;
  const failure = inputs.failure ?? shape.failure;
  const hasForm = method.args.length + method.pageArgs.length > 0;
  return (
    <div class="page" aria-busy="false">
      {args === undefined || args === null ? <HeadOnly /> : null}
      <PageHead
        kind={
          <>
            <a href={urlOf('/explore')}>{texts.value.shell.explore}</a> · <a href={urlOf(`/explore?q=${module}`)}>{module}</a>
          </>
        }
        title={name}
      >
        <code class="muted break">{chainName}</code>
        {hasHeight ? null : <Tag tone="warn">{exploreTexts.value.method.notAtHeight}</Tag>}
      </PageHead>
      {about === '' ? null : <p class="lead about">{about}</p>}
      {!hasForm ? null : (
        <Card title={exploreTexts.value.method.arguments}>
          {inputs.data === undefined ? (
            <Skeleton lines={3} />
          ) : (
            <ArgumentForm method={method} types={inputs.data} urlArgs={urlArgs ?? {}} />
          )}
        </Card>
      )}
      {failure === undefined ? null : <Failure error={failure} />}
      {args === null ? (
        <p class="failure-box" role="alert">
          {exploreTexts.value.method.argumentsNotJson}
        </p>
      ) : args === undefined || shape.data === undefined || failure !== undefined ? null : (
        <Result key={JSON.stringify(args)} method={method} shape={shape.data} args={args} />
      )}
    </div>
  );
}
