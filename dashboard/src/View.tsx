import { useEffect } from 'preact/hooks';
import { lazyPage } from './components/page/LazyPage.tsx';
import { PageSkeleton } from './components/page/Skeleton.tsx';
import { isOff, startPath } from './data/look.ts';
import { hasModule, modules, readModules } from './data/modules.ts';
import { refuted } from './data/refuted.ts';
import { NoPage } from './pages/none/NoPage.tsx';
import { matchPath } from './routes.ts';
import { navigate, path, urlOf } from './routing/router.ts';
import { sectionOf } from './shell/Header.tsx';

/** The page in place of one whose proof is wrong. */
const Refuted = lazyPage(async () => (await import('./proof/index.ts')).Refuted);

/** The page of the path. It waits until it is known which modules the chain has, so that no page reads what does not exist. */
export function View() {
  const match = matchPath(path.value);
  useEffect(() => {
    if (!modules.value) void readModules();
    // The code of the page arrives while the modules of the chain are read. The page says so if it cannot be loaded.
    match?.page.begin().catch(() => undefined);
  }, [path.value]);
  if (match === undefined) return <NoPage title="This page does not exist">The address of the page is wrong.</NoPage>;
  const { page: Page, parts, modules: about, problem } = match;
  if (problem !== undefined) return <NoPage title="The address of the page is wrong">{problem}</NoPage>;
  if (path.value === '/' && isOff('/') && startPath !== '/') {
    navigate(startPath, { replace: true });
    return <PageSkeleton />;
  }
  if (isOff(sectionOf(path.value)))
    return <NoPage title="This page is off">The operator of this server has turned it off.</NoPage>;
  if (modules.value === undefined) return <PageSkeleton />;
  if (about?.every((module) => !hasModule(module)))
    return (
      <NoPage title={`This chain has no module ${about.map((module) => `“${module}”`).join(' and no module ')}`}>
        <p>So there is nothing to show here.</p>
        <p>
          See its <a href={urlOf('/blocks')}>blocks</a>, its <a href={urlOf('/tokens')}>tokens</a> or its{' '}
          <a href={urlOf('/validators')}>validators</a>, or search for an address or a transaction.
        </p>
      </NoPage>
    );
  if (refuted.value?.path === path.value) return <Refuted />;
  return <Page key={path.value} {...parts} />;
}
