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

/** The examples by kind, each kind with its heading. */
export const exampleGroups: readonly (readonly [heading: string, examples: readonly PlaygroundExample[]])[] = (
  [
    ['Queries', 'query'],
    ['Subscriptions', 'subscription'],
    ['Mutations', 'mutation'],
  ] as const
).map(([heading, kind]) => [heading, playgroundExamples.filter((example) => example.kind === kind)]);
