import { type PlaygroundExample, playgroundExamples } from './gen/playgroundExamples.ts';

const headings = { query: 'Queries', subscription: 'Subscriptions', mutation: 'Mutations' } as const;

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

/** The name of an operation in words: `Board At` of `BoardAt`. */
const words = (name: string): string => name.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ');

function option({ name, comment }: PlaygroundExample): string {
  const first = comment.split(/(?<=[.?]) /)[0] ?? '';
  const about = first === '' ? '' : `: ${first.replace(/[.:]$/, '')}`;
  return `<option value="${escaped(name)}">${escaped(words(name) + about)}</option>`;
}

/** The bar above GraphiQL: examples to pick, and a link to the dashboard. */
export const playgroundBar = `<div class="stele-bar">
<label>Examples <select id="stele-examples"><option value="">Pick an operation</option>
${Object.entries(headings)
  .map(([kind, heading]) => {
    const options = playgroundExamples.filter((example) => example.kind === kind).map(option);
    return `<optgroup label="${heading}">${options.join('')}</optgroup>`;
  })
  .join('')}
</select></label>
<a href="/dashboard">Dashboard</a>
</div>`;

/**
 * The script of the bar. GraphiQL keeps its tabs in \`localStorage\` and has no interface to open one, so a picked example is added there as the active
 * tab, and the page is loaded again. With an example in \`?query=\`, GraphiQL would lose its variables.
 */
export const playgroundBarScript = `
(() => {
  const examples = ${JSON.stringify(playgroundExamples).replaceAll('<', '\\u003c')};
  document.addEventListener('change', ({ target }) => {
    if (target.id !== 'stele-examples') return;
    const example = examples.find(({ name }) => name === target.value);
    if (example === undefined) return;
    const { name, query } = example;
    const variables = Object.keys(example.variables).length === 0 ? null : JSON.stringify(example.variables, null, 2);
    const headers = localStorage.getItem('graphiql:headers');
    const tab = { id: crypto.getRandomValues(new Uint32Array(1))[0].toString(36), title: name, query, variables, headers, operationName: name, response: null };
    // GraphiQL stores its first tabs half a second after its start. Leaving the page stores later changes, so the tabs are read after that.
    addEventListener('pagehide', () => {
      const stored = JSON.parse(localStorage.getItem('graphiql:tabState') ?? '{}');
      const tabs = [...(stored.tabs ?? []), tab];
      localStorage.setItem('graphiql:tabState', JSON.stringify({ tabs, activeTabIndex: tabs.length - 1 }));
      localStorage.setItem('graphiql:query', query);
      if (variables === null) localStorage.removeItem('graphiql:variables');
      else localStorage.setItem('graphiql:variables', variables);
    });
    const latest = performance.now() + 2000;
    const leave = () => {
      if (localStorage.getItem('graphiql:tabState') === null && performance.now() < latest) setTimeout(leave, 50);
      else location.assign('/graphql');
    };
    leave();
  });
})();
`;

/** Styles of the bar. */
export const playgroundBarStyle = `
body { color-scheme: light dark; }
body.graphiql-light { color-scheme: light; }
body.graphiql-dark { color-scheme: dark; }
.stele-bar { display: flex; justify-content: space-between; align-items: center; gap: 16px; box-sizing: border-box; height: 40px; padding: 0 16px;
  background: light-dark(#fff, #212a3b); color: light-dark(#3b4b68, #eef1f6); font: 14px system-ui, sans-serif; }
.stele-bar label { display: flex; align-items: center; gap: 8px; min-width: 0; }
.stele-bar select { min-width: 0; max-width: min(480px, 60vw); font: inherit; padding: 3px 6px; }
.stele-bar a { color: inherit; }
#root, .graphiql-container { height: calc(100dvh - 40px) !important; }
`;
