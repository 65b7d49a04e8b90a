import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';

/** A part of a page whose code is loaded when it is first shown. It is left out if the code cannot be loaded. */
export function lazyPart<P extends object>(load: () => Promise<ComponentType<P>>): ComponentType<P> {
  let part: ComponentType<P> | undefined;
  return function LazyPart(props: P) {
    const [, setLoaded] = useState(part !== undefined);
    useEffect(() => {
      if (part === undefined)
        load().then(
          (loaded) => {
            part = loaded;
            setLoaded(true);
          },
          () => undefined,
        );
    }, []);
    const Part = part;
    return Part === undefined ? null : <Part {...props} />;
  };
}
