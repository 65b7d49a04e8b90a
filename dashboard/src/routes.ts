import { type LazyPage, lazyPage } from './components/page/LazyPage.tsx';
import type { Module } from './data/modules.ts';
import { texts } from './language/language.ts';
import type { PathParts } from './routing/router.ts';

/** A page and its path, in which `:name` matches one part. */
interface Route {
  readonly path: string;
  readonly page: LazyPage;
  /** The modules that the page is about. Chains with none of them do not have the page. */
  readonly modules?: readonly Module[];
}

/** A page that was found by its path. */
export interface Match {
  readonly page: LazyPage;
  readonly parts: PathParts;
  /** The modules that the page is about. */
  readonly modules?: readonly Module[];
  /** Why the path names nothing that could exist. */
  readonly problem?: string;
}

/** The forms of the parts of paths. */
const forms = {
  id: /^\d{1,20}$/,
  height: /^\d{1,18}$/,
  hash: /^(0x)?[0-9a-f]{64}$/i,
  method: /^\w+(\.\w+)+$/,
} as const;

const isFormed = (name: string): name is keyof typeof forms => Object.hasOwn(forms, name);

function problemOf(parts: PathParts): string | undefined {
  for (const [name, part] of Object.entries(parts)) {
    if (isFormed(name) && !forms[name].test(part)) return texts.value.paths.isNot(part.slice(0, 80), texts.value.paths[name]);
  }
  return undefined;
}

/** The page of reasons of proposals and accounts. */
const proofPage = lazyPage(async () => (await import('./proof/index.ts')).Proof);

/** Every page. */
export const routes: readonly Route[] = [
  { path: '/', page: lazyPage(async () => (await import('./pages/home/Home.tsx')).Home) },
  { path: '/groups', page: lazyPage(async () => (await import('./pages/groups/Groups.tsx')).Groups), modules: ['group'] },
  { path: '/groups/:id', page: lazyPage(async () => (await import('./pages/group/Group.tsx')).Group), modules: ['group'] },
  {
    path: '/policies/:address',
    page: lazyPage(async () => (await import('./pages/policy/Policy.tsx')).Policy),
    modules: ['group'],
  },
  {
    path: '/proposals',
    page: lazyPage(async () => (await import('./pages/proposals/Proposals.tsx')).Proposals),
    modules: ['group', 'gov'],
  },
  {
    path: '/proposals/:id',
    page: lazyPage(async () => (await import('./pages/proposal/Proposal.tsx')).Proposal),
    modules: ['group'],
  },
  { path: '/proposals/:id/proof', page: proofPage, modules: ['group'] },
  { path: '/gov/:id', page: lazyPage(async () => (await import('./pages/gov/GovProposal.tsx')).GovProposal), modules: ['gov'] },
  { path: '/accounts/:address', page: lazyPage(async () => (await import('./pages/account/Account.tsx')).Account) },
  { path: '/accounts/:address/proof', page: proofPage },
  {
    path: '/accounts/:address/statement',
    page: lazyPage(async () => (await import('./pages/statement/Statement.tsx')).Statement),
  },
  {
    path: '/contracts/:address',
    page: lazyPage(async () => (await import('./pages/contract/Contract.tsx')).Contract),
    modules: ['wasm'],
  },
  { path: '/tokens', page: lazyPage(async () => (await import('./pages/tokens/Tokens.tsx')).Tokens) },
  { path: '/tokens/:denom', page: lazyPage(async () => (await import('./pages/token/Token.tsx')).Token) },
  { path: '/blocks', page: lazyPage(async () => (await import('./pages/blocks/Blocks.tsx')).Blocks) },
  { path: '/blocks/:height', page: lazyPage(async () => (await import('./pages/block/Block.tsx')).Block) },
  {
    path: '/transactions/:hash',
    page: lazyPage(async () => (await import('./pages/transaction/Transaction.tsx')).Transaction),
  },
  { path: '/validators', page: lazyPage(async () => (await import('./pages/validators/Validators.tsx')).Validators) },
  { path: '/validators/:address', page: lazyPage(async () => (await import('./pages/validator/Validator.tsx')).Validator) },
  { path: '/explore', page: lazyPage(async () => (await import('./pages/explore/Explore.tsx')).Explore) },
  { path: '/explore/:method', page: lazyPage(async () => (await import('./pages/explore/ExploreMethod.tsx')).ExploreMethod) },
  { path: '/status', page: lazyPage(async () => (await import('./pages/status/Status.tsx')).Status) },
  { path: '/limits', page: lazyPage(async () => (await import('./pages/limits/Limits.tsx')).Limits) },
  { path: '/webhooks', page: lazyPage(async () => (await import('./pages/webhooks/Webhooks.tsx')).Webhooks) },
  { path: '/search', page: lazyPage(async () => (await import('./pages/search/Search.tsx')).Search) },
];

/** A part of a path without its escapes. undefined if they are malformed. */
function unescaped(part: string): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined;
  }
}

function partsOf(pattern: string, path: string): PathParts | undefined {
  const [expected, givenParts] = [pattern.split('/'), path.split('/')];
  if (expected.length !== givenParts.length) return undefined;
  const parts: Record<string, string> = {};
  for (const [index, name] of expected.entries()) {
    const part = unescaped(givenParts[index] ?? '');
    if (part === undefined) return undefined;
    if (name.startsWith(':')) parts[name.slice(1)] = part;
    else if (name !== part) return undefined;
  }
  return parts;
}

/** Finds the page of a path. undefined if there is none. A denom can contain slashes (`ibc/…`), so it is the rest of its path. */
export function matchPath(path: string): Match | undefined {
  const [, denom] = /^\/tokens\/(.+)$/.exec(path) ?? [];
  const flat = denom === undefined ? path : `/tokens/${denom.replaceAll('/', '%2F')}`;
  for (const { path: pattern, page, modules } of routes) {
    const parts = partsOf(pattern, flat);
    if (parts === undefined) continue;
    const problem = problemOf(parts);
    return { page, parts, ...(modules && { modules }), ...(problem !== undefined && { problem }) };
  }
  return undefined;
}
