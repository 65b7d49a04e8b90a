import { useEffect, useRef } from 'preact/hooks';
import { lazyPart } from '../components/page/lazyPart.tsx';
import { dashboardName, hasOwnLogo, isOff, startPath } from '../data/look.ts';
import { hasModule, type Module } from '../data/modules.ts';
import { texts } from '../language/language.ts';
import { path, urlOf } from '../routing/router.ts';
import { LanguageChoice } from './LanguageChoice.tsx';
import { SearchBox } from './SearchBox.tsx';
import { ThemeToggle } from './ThemeToggle.tsx';

/** The name of a section, by its key in the texts. */
type SectionName = 'home' | 'groups' | 'proposals' | 'tokens' | 'blocks' | 'validators' | 'explore' | 'status';

const sections: readonly { readonly path: string; readonly name: SectionName; readonly modules?: readonly Module[] }[] = [
  { path: '/', name: 'home' },
  { path: '/groups', name: 'groups', modules: ['group'] },
  { path: '/proposals', name: 'proposals', modules: ['group', 'gov'] },
  { path: '/tokens', name: 'tokens' },
  { path: '/blocks', name: 'blocks' },
  { path: '/validators', name: 'validators' },
  { path: '/explore', name: 'explore' },
  { path: '/status', name: 'status' },
];

/** The section that a page belongs to. */
export function sectionOf(page: string): string {
  if (page.startsWith('/policies')) return '/groups';
  if (page.startsWith('/gov')) return '/proposals';
  if (page.startsWith('/transactions')) return '/blocks';
  if (page === '/limits') return '/status';
  return sections.findLast((section) => page === section.path || page.startsWith(`${section.path}/`))?.path ?? '';
}

const WalletMenu = lazyPart(async () => (await import('../components/acting/WalletMenu.tsx')).WalletMenu);

/** The name of the server, the sections, the search and the theme. */
export function Header() {
  const current = sectionOf(path.value);
  const sectionList = useRef<HTMLElement>(null);
  // On narrow screens the sections scroll.
  useEffect(() => {
    const link = sectionList.current?.querySelector<HTMLElement>('[aria-current]');
    if (link) sectionList.current?.scrollTo({ left: link.offsetLeft - 60 });
  }, [current]);
  return (
    <header class="header">
      <a class="brand" href={urlOf(startPath)}>
        {hasOwnLogo ? (
          <img src="/dashboard/icon.svg" alt="" width="24" height="24" />
        ) : (
          <svg viewBox="0 0 32 32" aria-hidden="true">
            <path class="stone" d="M8 27V12a8 8 0 0 1 16 0v15z" />
            <path class="ground" d="M4 26h24v3H4z" />
            <path class="lines" d="M12 12h8M12 16h8M12 20h5" />
          </svg>
        )}
        {dashboardName}
      </a>
      <nav ref={sectionList} class="sections" aria-label={texts.value.shell.sections}>
        {sections
          .filter(({ path: to, modules }) => !isOff(to) && (modules === undefined || modules.some(hasModule)))
          .map((section) => (
            <a key={section.path} href={urlOf(section.path)} aria-current={section.path === current ? 'page' : undefined}>
              {texts.value.shell[section.name]}
            </a>
          ))}
      </nav>
      <SearchBox />
      <WalletMenu />
      <LanguageChoice />
      <ThemeToggle />
    </header>
  );
}
