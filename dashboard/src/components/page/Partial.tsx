import type { SteleError } from '@stele/client';

/** A note that parts of a page could not be read. Nothing if there are no errors. */
export function Partial({ errors }: { readonly errors: readonly SteleError[] }) {
  if (errors.length === 0) return null;
  const codes = [...new Set(errors.map(({ code }) => code))];
  return (
    <p class="partial" role="note" title={errors[0]?.message}>
      Some of this could not be read: {codes.map((code) => explain[code] ?? code).join('; ')}.
    </p>
  );
}

const explain: Readonly<Record<string, string>> = {
  INDEX_UNAVAILABLE: 'no node has an index of transactions',
  HEIGHT_PRUNED: 'the nodes have deleted what is older',
  NODE_UNREACHABLE: 'no node responds',
  NODE_TIMEOUT: 'the nodes respond too slowly',
  HEIGHT_NOT_YET_AVAILABLE: 'the archive does not have this block',
  ARCHIVE_UNAVAILABLE: 'the archive cannot be read now',
  OPERATION_TOO_COMPLEX: 'there is too much of it',
};
