import { type PlaygroundExample, playgroundExamples } from './gen/examples.ts';

/**
 * Opens an example in a tab of its own. GraphiQL keeps its tabs in `localStorage` and has no interface to open one, so the example is added there as the
 * active tab, and the page is loaded again. With an example in `?query=`, GraphiQL would lose its variables.
 */
export function openExample({ name, title, query, variables: values }: PlaygroundExample): void {
  const variables = Object.keys(values).length === 0 ? null : JSON.stringify(values, null, 2);
  const headers = localStorage.getItem('graphiql:headers');
  const id = crypto.getRandomValues(new Uint32Array(1))[0]?.toString(36);
  const tab = { id, title, query, variables, headers, operationName: name, response: null };
  // GraphiQL stores its first tabs half a second after its start. Leaving the page stores later changes, so the tabs are read after that.
  window.addEventListener('pagehide', () => {
    const stored: { tabs?: unknown[] } = JSON.parse(localStorage.getItem('graphiql:tabState') ?? '{}');
    const tabs = [...(stored.tabs ?? []), tab];
    localStorage.setItem('graphiql:tabState', JSON.stringify({ tabs, activeTabIndex: tabs.length - 1 }));
    localStorage.setItem('graphiql:query', query);
    if (variables === null) localStorage.removeItem('graphiql:variables');
    else localStorage.setItem('graphiql:variables', variables);
  });
  const latest = performance.now() + 2_000;
  const leave = (): void => {
    if (localStorage.getItem('graphiql:tabState') === null && performance.now() < latest) setTimeout(leave, 50);
    else window.location.assign('/graphql');
  };
  leave();
}

/** The modules that examples are about and that the chain does not have. None if they cannot be read: the examples then say so themselves. */
export async function readAbsentModules(): Promise<ReadonlySet<string>> {
  const names = [...new Set(playgroundExamples.flatMap(({ module }) => module ?? []))];
  const fields = names.map((name, index) => `m${index}: modules(prefix: ${JSON.stringify(`${name}.`)}) { name }`);
  try {
    const response = await fetch('/graphql', {
      method: 'POST',
      headers: { accept: 'application/json', 'content-type': 'application/json' },
      body: JSON.stringify({ query: `{ ${fields.join(' ')} }` }),
    });
    const { data }: { readonly data?: Readonly<Record<string, readonly unknown[] | null>> | null } = await response.json();
    return new Set(names.filter((_, index) => data?.[`m${index}`]?.length === 0));
  } catch {
    return new Set();
  }
}

/** The examples by kind, each kind with its heading, without those about modules that are absent. */
export function exampleGroups(
  absent: ReadonlySet<string>,
): readonly (readonly [heading: string, examples: readonly PlaygroundExample[]])[] {
  const offered = playgroundExamples.filter(({ module }) => module === undefined || !absent.has(module));
  const kinds = [
    ['Queries', 'query'],
    ['Subscriptions', 'subscription'],
    ['Mutations', 'mutation'],
  ] as const;
  return kinds.map(([heading, kind]) => [heading, offered.filter((example) => example.kind === kind)]);
}
