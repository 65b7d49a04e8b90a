import type { DocumentNode } from 'graphql';

/** Whether the operation of a document has the directive `@live`. */
export function isLive({ definitions }: DocumentNode): boolean {
  return definitions.some(
    (each) => each.kind === 'OperationDefinition' && each.directives?.some(({ name }) => name.value === 'live'),
  );
}
