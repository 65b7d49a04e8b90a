// openapi-typescript writes its types with the compiler's own syntax tree, which TypeScript 7 does not offer to programs.
import { register } from 'node:module';

register(
  `data:text/javascript,${encodeURIComponent(
    "export const resolve = (name, context, next) => next(name === 'typescript' ? 'typescript-5' : name, context);",
  )}`,
  import.meta.url,
);
