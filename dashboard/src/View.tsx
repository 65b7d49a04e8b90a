import { useEffect } from 'preact/hooks';
import { lazyPage } from './components/page/LazyPage.tsx';
import { PageSkeleton } from './components/page/Skeleton.tsx';
import { isOff, startPath } from './data/look.ts';
import { hasModule, modules, readModules } from './data/modules.ts';
import { refuted } from './data/refuted.ts';
import { texts } from './language/language.ts';
import { NoPage } from './pages/none/NoPage.tsx';
import { matchPath } from './routes.ts';
import { navigate, path, urlOf } from './routing/router.ts';
import { sectionOf } from './shell/Header.tsx';

/** The page in place of one whose proof is wrong. */
const Refuted = lazyPage(async () => (await import('./proof/index.ts')).Refuted);

/** Begins to load what the page of the path needs: which modules the chain has, and at the same time its code. */
export function beginPage(): void {
  if (!modules.value) void readModules();
  // The page says so if its code cannot be loaded.
  matchPath(path.value)
    ?.page.begin()
    .catch(() => undefined);
}

/** The page of the path. It waits until it is known which modules the chain has, so that no page reads what does not exist. */
export function View() {
  const match = matchPath(path.value);
  useEffect(beginPage, [path.value]);
  if (match === undefined) return <NoPage title={texts.value.view.noPage}>{texts.value.view.wrongAddress}</NoPage>;
  const { page: Page, parts, modules: about, problem } = match;
  if (problem !== undefined) return <NoPage title={texts.value.view.wrongAddressTitle}>{problem}</NoPage>;
  if (path.value === '/' && isOff('/') && startPath !== '/') {
    navigate(startPath, { replace: true });
    return <PageSkeleton />;
  }
  if (isOff(sectionOf(path.value))) return <NoPage title={texts.value.view.off}>{texts.value.view.offWhy}</NoPage>;
  if (modules.value === undefined) return <PageSkeleton />;
  if (about?.every((module) => !hasModule(module)))
    return (
      <NoPage title={texts.value.view.noModules(about)}>
        <p>{texts.value.view.nothing}</p>
        <p>
          {texts.value.view.elsewhere} <a href={urlOf('/blocks')}>{texts.value.shell.blocks}</a>,{' '}
          <a href={urlOf('/tokens')}>{texts.value.shell.tokens}</a>,{' '}
          <a href={urlOf('/validators')}>{texts.value.shell.validators}</a>.
        </p>
      </NoPage>
    );
  if (refuted.value?.path === path.value) return <Refuted />;
  return <Page key={path.value} {...parts} />;
}
