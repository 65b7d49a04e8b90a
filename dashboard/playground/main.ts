import { useSchemaStore } from '@graphiql/react';
import { GraphiQL } from 'graphiql';
import { type DocumentNode, getOperationAST } from 'graphql';
import { createClient } from 'graphql-sse';
import { createElement as h, type ReactNode, type SyntheticEvent, useEffect, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { icon } from '../../src/surfaces/pages/icon.ts';
import { exampleGroups, openExample, readAbsentModules } from './examples.ts';
import { playgroundExamples } from './gen/examples.ts';
import { playgroundTabs } from './tabs.ts';
import { enteredToken, enterToken, giveTokens, removeOldTokens, type TokenState } from './token.ts';

interface Operation {
  readonly query: string;
  readonly variables?: Record<string, unknown> | null;
  readonly operationName?: string | null;
}

interface FetcherOptions {
  readonly headers?: Record<string, string>;
  readonly documentAST?: DocumentNode;
}

/** Whether an operation has more than one result: a subscription, or a live query. */
function isStream({ operationName }: Operation, { documentAST }: FetcherOptions): boolean {
  const operation = documentAST && getOperationAST(documentAST, operationName);
  return operation?.operation === 'subscription' || operation?.directives?.some(({ name }) => name.value === 'live') === true;
}

/** Sends an operation: a stream as server-sent events, and any other as JSON. */
async function fetcher(operation: Operation, options: FetcherOptions = {}) {
  const { headers = {} } = options;
  if (isStream(operation, options)) {
    const { query, variables, operationName } = operation;
    // The library takes the `fetch` of the page, which has the token.
    return createClient({ url: '/graphql', headers, retryAttempts: 0, fetchFn: window.fetch }).iterate({
      query,
      ...(variables && { variables }),
      ...(operationName && { operationName }),
    });
  }
  const body = JSON.stringify(operation);
  const response = await fetch('/graphql', {
    method: 'POST',
    headers: { accept: 'application/json', 'content-type': 'application/json', ...headers },
    body,
  });
  return response.json();
}

const hints: Readonly<Record<TokenState, string>> = {
  fine: '',
  needed: 'This server needs a token. Enter one here.',
  refused: 'The server does not accept this token. Enter another one here.',
};

/** Sets what the bar says of the token. */
let showState: (state: TokenState) => void = () => undefined;

/** The place for a token, with what the server made of the last one. */
function Token(): ReactNode {
  const [state, setState] = useState<TokenState>('fine');
  const [text, setText] = useState('');
  const entered = enteredToken();
  showState = setState;
  const introspect = useSchemaStore((store) => store.introspect);
  const use = (token: string): void => {
    enterToken(token);
    setText('');
    setState('fine');
    void introspect();
  };
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    if (text.trim() !== '') use(text);
  };
  return h(
    'form',
    { className: 'stele-token', 'data-state': state, onSubmit: submit },
    h('span', { role: 'status' }, hints[state]),
    entered === undefined || state === 'refused'
      ? h('input', {
          type: 'password',
          'aria-label': 'Access token',
          placeholder: 'Access token',
          autoComplete: 'off',
          value: text,
          onInput: ({ currentTarget }: SyntheticEvent<HTMLInputElement>) => setText(currentTarget.value),
        })
      : h('span', null, 'Your token is used.'),
    entered === undefined || state === 'refused'
      ? h('button', { type: 'submit', disabled: text.trim() === '' }, 'Use it')
      : h('button', { type: 'button', onClick: () => use('') }, 'Forget it'),
  );
}

/** The bar above GraphiQL: examples to pick, the token, and a link to the dashboard. */
function Bar(): ReactNode {
  const pick = ({ currentTarget }: SyntheticEvent<HTMLSelectElement>): void => {
    const example = playgroundExamples.find(({ name }) => name === currentTarget.value);
    if (example !== undefined) openExample(example);
  };
  const [absent, setAbsent] = useState<ReadonlySet<string>>(new Set());
  useEffect(() => void readAbsentModules().then(setAbsent), []);
  const options = exampleGroups(absent).map(([heading, examples]) =>
    h(
      'optgroup',
      { key: heading, label: heading },
      examples.map(({ name, title }) => h('option', { key: name, value: name }, title)),
    ),
  );
  const empty = h('option', { key: '', value: '' }, 'Pick an example');
  return h(
    'div',
    { className: 'stele-bar' },
    h('label', null, 'Examples ', h('select', { id: 'stele-examples', defaultValue: '', onChange: pick }, [empty, ...options])),
    h(Token),
    h('a', { href: '/dashboard' }, 'Dashboard'),
  );
}

removeOldTokens();
giveTokens((state) => showState(state));
// A link to the page can have an operation.
const linked = new URLSearchParams(window.location.search);
const [query, variables] = [linked.get('query') ?? undefined, linked.get('variables') ?? undefined];
const root = document.querySelector('#root');
if (root !== null)
  createRoot(root).render([
    h(Bar, { key: 'bar' }),
    h(
      GraphiQL,
      {
        key: 'graphiql',
        fetcher,
        defaultTabs: playgroundTabs,
        shouldPersistHeaders: true,
        ...(query && { query, ...(variables && { variables }) }),
      },
      h(GraphiQL.Logo, null, h('span', { dangerouslySetInnerHTML: { __html: icon } }), 'Stele'),
    ),
  ]);
