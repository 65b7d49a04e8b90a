import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Notice } from '../components/Notice.tsx';
import { PageSkeleton } from '../components/Skeleton.tsx';
import { path } from '../router.ts';
import { matchPath, type PathParts } from '../routes.ts';

/** The code of the pages that were opened, by the path of their route. */
const loaded = new Map<string, ComponentType<PathParts>>();

/** The page of the path. Its code is loaded when it is first opened. */
export function View() {
  const match = matchPath(path.value);
  const name = match?.route.path ?? '';
  const [, setLoads] = useState(0);
  const [isBroken, setBroken] = useState(false);
  const Page = loaded.get(name);

  useEffect(() => {
    if (match === undefined || loaded.has(name)) return;
    setBroken(false);
    match.route.load().then(
      (page) => {
        loaded.set(name, page);
        setLoads((count) => count + 1);
      },
      () => setBroken(true),
    );
  }, [name]);

  if (match === undefined) return <Notice title="This page does not exist">The address of the page is wrong.</Notice>;
  if (isBroken) return <Notice title="The page cannot be loaded">Load it again when the server can be reached.</Notice>;
  return Page === undefined ? <PageSkeleton /> : <Page key={path.value} {...match.parts} />;
}
