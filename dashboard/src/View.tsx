import { Notice } from './components/page/Notice.tsx';
import { matchPath } from './routes.ts';
import { path } from './routing/router.ts';

/** The page of the path. */
export function View() {
  const match = matchPath(path.value);
  if (match === undefined) return <Notice title="This page does not exist">The address of the page is wrong.</Notice>;
  const { page: Page, parts, problem } = match;
  if (problem !== undefined) return <Notice title="The address of the page is wrong">{problem}</Notice>;
  return <Page key={path.value} {...parts} />;
}
