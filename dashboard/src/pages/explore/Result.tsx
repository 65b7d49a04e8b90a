import type { SteleError, TypedDocument } from '@stele/client';
import { useEffect } from 'preact/hooks';
import { Code } from '../../components/Code.tsx';
import { CopyButton } from '../../components/Copy.tsx';
import { Pager } from '../../components/Pager.tsx';
import { Card } from '../../components/page/Card.tsx';
import { Failure } from '../../components/page/Failure.tsx';
import { Skeleton } from '../../components/page/Skeleton.tsx';
import { errorWords } from '../../data/failures.ts';
import { useFixedPage } from '../../data/useFixedPage.ts';
import { type PageState, usePage, type WithHead } from '../../data/usePage.ts';
import { exploreTexts } from '../../language/explore/texts.ts';
import { texts } from '../../language/language.ts';
import { at, parameters } from '../../routing/router.ts';
import { answerOf, documentOf, plainAnswer } from './model/document.ts';
import type { Method } from './model/methods.ts';
import type { MessageShape } from './model/shape.ts';
import { memberOf, omittedIn } from './model/table.ts';
import { renewTypes } from './schema.ts';
import { MessageView } from './Values.tsx';

interface ResultProps {
  readonly method: Method;
  readonly shape: MessageShape;
  /** The arguments in the URL. */
  readonly args: object;
}

type Variables = Readonly<Record<string, unknown>>;

/** The variables of the document: the arguments, and the cursor of the page in the URL. */
function variablesOf({ pageArgs }: Method, args: object): Variables {
  const after = pageArgs.length === 0 ? null : parameters.value.get('after');
  return { ...args, ...(after !== null && { after }) };
}

/** What a method returns: the newest state, which moves with the chain, or the state at the height in the URL. */
export function Result(props: ResultProps) {
  const { method, shape, args } = props;
  const Kind = method.hasHeight ? LiveResult : FixedResult;
  // Another document, such as that of another version of the chain, has another result.
  return <Kind key={documentOf(method, shape, Object.keys(args))} {...props} />;
}

function LiveResult({ method, shape, args }: ResultProps) {
  const variables = variablesOf(method, args);
  const write = (isLive: boolean): TypedDocument<WithHead, Variables> =>
    documentOf(method, shape, Object.keys(variables), { hasHead: true, isLive });
  const state = usePage({ past: write(false), live: write(true) }, variables);
  return <ResultView method={method} shape={shape} variables={variables} state={state} />;
}

/** The result of a method that is not read at a height. It is read once. */
function FixedResult({ method, shape, args }: ResultProps) {
  const variables = variablesOf(method, args);
  const document: TypedDocument<WithHead, Variables> = documentOf(method, shape, Object.keys(variables), { hasHead: true });
  const state = useFixedPage(document, variables);
  return <ResultView method={method} shape={shape} variables={variables} state={state} />;
}

/** Codes of a document that does not fit the schema any more. */
const misfits: readonly string[] = ['GRAPHQL_VALIDATION_FAILED', 'SCHEMA_CHANGED'];

/** The document that the schema was last read again for. Another time would not help. */
let renewedFor = '';

interface ResultViewProps {
  readonly method: Method;
  readonly shape: MessageShape;
  readonly variables: Variables;
  readonly state: PageState<WithHead>;
}

function ResultView({ method, shape, variables, state }: ResultViewProps) {
  const { data, failure, partial, isStale } = state;
  const names = Object.keys(variables);
  const document = documentOf(method, shape, names, { at: method.hasHeight ? at.value : undefined });
  const isMisfit = failure !== undefined && misfits.includes(failure.code) && renewedFor !== document;
  useEffect(() => {
    if (!isMisfit) return;
    renewedFor = document;
    renewTypes();
  }, [isMisfit]);

  if (failure !== undefined && !isMisfit && (data === undefined || !passes(failure))) return <Refusal error={failure} />;
  if (data === undefined)
    return (
      <Card title={texts.value.words.result}>
        <p class="visually-hidden" role="status">
          {texts.value.parts.loading}
        </p>
        <Skeleton lines={6} />
      </Card>
    );
  const answer = answerOf(data, method.path);
  const [error] = partial;
  const json = JSON.stringify(plainAnswer(answer, shape), null, 2);
  const pageInfo = memberOf(answer, 'pageInfo');
  const omitted = omittedIn(shape);
  return (
    <section class="page" aria-label={exploreTexts.value.result.returns} data-stale={isStale} aria-busy={isStale}>
      <div class="tools">
        {answer === null ? null : <CopyButton text={json} label={exploreTexts.value.result.copyJson} />}
        <CopyButton text={document} label={exploreTexts.value.result.copyDocument} />
        <a class="button small" href={playgroundUrl(document, variables)}>
          {exploreTexts.value.result.playground}
        </a>
      </div>
      {answer === null && error !== undefined ? <Refusal error={error} /> : null}
      {answer === null && error === undefined ? <p class="empty">{exploreTexts.value.result.nothing}</p> : null}
      {answer === null ? null : <MessageView of={answer} shape={shape} isWhole />}
      {answer !== null && error !== undefined ? (
        <p class="partial" role="note">
          {texts.value.parts.someUnread} {errorWords(error)}
        </p>
      ) : null}
      <Pager
        info={{ hasNextPage: memberOf(pageInfo, 'hasNextPage') === true, endCursor: textIn(memberOf(pageInfo, 'endCursor')) }}
      />
      {omitted.length === 0 ? null : (
        <p class="note">
          {exploreTexts.value.result.tooDeep} <code class="break">{omitted.join(', ')}</code>.
        </p>
      )}
      <details class="json">
        <summary>{exploreTexts.value.result.document}</summary>
        <Code of={names.length === 0 ? document : `${document}\n\n# Variables\n${commented(variables)}`} />
      </details>
    </section>
  );
}

const textIn = (value: unknown): string | null => (typeof value === 'string' ? value : null);

/** Variables as lines of a comment. */
const commented = (variables: Variables): string =>
  JSON.stringify(variables, null, 2)
    .split('\n')
    .map((line) => `# ${line}`)
    .join('\n');

/** The playground with the document and its variables. */
function playgroundUrl(query: string, variables: Variables): string {
  const search = new URLSearchParams({ query });
  if (Object.keys(variables).length > 0) search.set('variables', JSON.stringify(variables, null, 2));
  return `/graphql?${search}`;
}

/** Whether the data that the page has can be shown although the newest read failed. */
function passes({ code }: SteleError): boolean {
  return [
    'CONNECTION_FAILED',
    'SERVER_SHUTDOWN',
    'TOKEN_FAILED',
    'NODE_UNREACHABLE',
    'NODE_TIMEOUT',
    'RATE_LIMITED',
    'SCHEMA_CHANGED',
  ].includes(code);
}

/** Why there is no result. What the chain says itself is shown as it is. */
function Refusal({ error }: { readonly error: SteleError }) {
  const { code, facts } = error;
  if (
    !['ABCI_QUERY_FAILED', 'BAD_USER_INPUT', 'BAD_CURSOR', 'OPERATION_TOO_COMPLEX', 'GRAPHQL_VALIDATION_FAILED'].includes(code)
  )
    return <Failure error={error} />;
  const { log, argument } = facts;
  return (
    <div class="failure-box" role="alert">
      <p>
        {typeof argument === 'string' ? (
          <>
            {exploreTexts.value.result.theArgument} <code>{argument}</code>:{' '}
          </>
        ) : null}
        {errorWords(error)}
      </p>
      {typeof log === 'string' && log !== '' ? (
        <p>
          <code class="break">{log}</code>
        </p>
      ) : null}
      <p class="small">
        <code>{code}</code>
      </p>
    </div>
  );
}
