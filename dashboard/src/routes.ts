import type { ComponentType } from 'preact';

/** What the path of a page names, such as `{ id: '1' }`. */
export type PathParts = Readonly<Record<string, string>>;

/** A page: its path, in which `:name` matches one part, and how its code is loaded. */
interface Route {
  readonly path: string;
  readonly load: () => Promise<ComponentType<PathParts>>;
}

/** A page that was found by its path. */
export interface Match {
  readonly route: Route;
  readonly parts: PathParts;
}

// biome-ignore format: one line for each page
const routes: readonly Route[] = [
  { path: '/', load: async () => (await import('./pages/home/Home.tsx')).Home },
  { path: '/groups', load: async () => (await import('./pages/groups/Groups.tsx')).Groups },
  { path: '/groups/:id', load: async () => (await import('./pages/group/Group.tsx')).Group },
  { path: '/policies/:address', load: async () => (await import('./pages/policy/Policy.tsx')).Policy },
  { path: '/proposals/:id', load: async () => (await import('./pages/proposal/Proposal.tsx')).Proposal },
  { path: '/accounts/:address', load: async () => (await import('./pages/account/Account.tsx')).Account },
  { path: '/tokens', load: async () => (await import('./pages/tokens/Tokens.tsx')).Tokens },
  { path: '/tokens/:denom', load: async () => (await import('./pages/token/Token.tsx')).Token },
  { path: '/blocks', load: async () => (await import('./pages/blocks/Blocks.tsx')).Blocks },
  { path: '/blocks/:height', load: async () => (await import('./pages/block/Block.tsx')).Block },
  { path: '/transactions/:hash', load: async () => (await import('./pages/transaction/Transaction.tsx')).Transaction },
  { path: '/validators', load: async () => (await import('./pages/validators/Validators.tsx')).Validators },
  { path: '/status', load: async () => (await import('./pages/status/Status.tsx')).Status },
  { path: '/search', load: async () => (await import('./pages/search/Search.tsx')).Search },
];

function partsOf(pattern: string, path: string): PathParts | undefined {
  const [expected, given] = [pattern.split('/'), path.split('/')];
  if (expected.length !== given.length) return undefined;
  const parts: Record<string, string> = {};
  for (const [index, name] of expected.entries()) {
    const part = given[index] ?? '';
    if (name.startsWith(':')) parts[name.slice(1)] = decodeURIComponent(part);
    else if (name !== part) return undefined;
  }
  return parts;
}

/** Finds the page of a path. undefined if there is none. A denom can contain slashes (`ibc/…`), so it is the rest of its path. */
export function matchPath(path: string): Match | undefined {
  const [, denom] = /^\/tokens\/(.+)$/.exec(path) ?? [];
  const flat = denom === undefined ? path : `/tokens/${denom.replaceAll('/', '%2F')}`;
  for (const route of routes) {
    const parts = partsOf(route.path, flat);
    if (parts !== undefined) return { route, parts };
  }
  return undefined;
}
