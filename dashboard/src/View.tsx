import { useEffect } from 'preact/hooks';
import { Notice } from './components/page/Notice.tsx';
import { PageSkeleton } from './components/page/Skeleton.tsx';
import { hasModule, modules, readModules } from './data/modules.ts';
import { Absent } from './pages/absent/Absent.tsx';
import { matchPath } from './routes.ts';
import { path } from './routing/router.ts';

/** The page of the path. It waits until it is known which modules the chain has, so that no page reads what does not exist. */
export function View() {
  const match = matchPath(path.value);
  useEffect(() => {
    if (!modules.value) void readModules();
  }, [path.value]);
  if (match === undefined) return <Notice title="This page does not exist">The address of the page is wrong.</Notice>;
  const { page: Page, parts, module, problem } = match;
  if (problem !== undefined) return <Notice title="The address of the page is wrong">{problem}</Notice>;
  if (modules.value === undefined) return <PageSkeleton />;
  if (module !== undefined && !hasModule(module)) return <Absent key={path.value} module={module} />;
  return <Page key={path.value} {...parts} />;
}
