import { pageDefault } from '../config/bounds.ts';
import type { Builder } from './builder.ts';

/** The arguments of a connection: `first`, `after`, `offset` and `reverse`. */
export function connectionArgs(builder: Builder) {
  return builder.args((t) => ({
    first: t.int({ defaultValue: pageDefault }),
    after: t.string(),
    offset: t.int(),
    reverse: t.boolean({ defaultValue: false }),
  }));
}
