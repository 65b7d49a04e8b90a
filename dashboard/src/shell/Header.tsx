import { useEffect, useRef } from 'preact/hooks';
import { lazyPart } from '../components/page/lazyPart.tsx';
import { hasModule, type Module } from '../data/modules.ts';
import { path, urlOf } from '../routing/router.ts';
import { SearchBox } from './SearchBox.tsx';
import { ThemeToggle } from './ThemeToggle.tsx';

const sections: readonly { readonly path: string; readonly name: string; readonly modules?: readonly Module[] }[] = [
  { path: '/', name: 'Home' },
  { path: '/groups', name: 'Groups', modules: ['group'] },
  { path: '/proposals', name: 'Proposals', modules: ['group', 'gov'] },
  { path: '/tokens', name: 'Tokens' },
  { path: '/blocks', name: 'Blocks' },
  { path: '/validators', name: 'Validators' },
  { path: '/explore', name: 'Explore' },
  { path: '/status', name: 'Status' },
];

/** The section that a page belongs to. */
function sectionOf(page: string): string {
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
      <a class="brand" href={urlOf('/')}>
        <svg viewBox="0 0 32 32" aria-hidden="true">
          <path class="stone" d="M8 27V12a8 8 0 0 1 16 0v15z" />
          <path class="ground" d="M4 26h24v3H4z" />
          <path class="lines" d="M12 12h8M12 16h8M12 20h5" />
        </svg>
        Stele
      </a>
      <nav ref={sectionList} class="sections" aria-label="Sections">
        {sections
          .filter(({ modules }) => modules === undefined || modules.some(hasModule))
          .map((section) => (
            <a key={section.path} href={urlOf(section.path)} aria-current={section.path === current ? 'page' : undefined}>
              {section.name}
            </a>
          ))}
      </nav>
      <SearchBox />
      <WalletMenu />
      <ThemeToggle />
    </header>
  );
}
