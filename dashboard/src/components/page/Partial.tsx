import type { SteleError, SteleErrorCode } from '@stele/client';
import { errorWords } from '../../data/failures.ts';
import { texts } from '../../language/language.ts';

/** A note that parts of a page could not be read. Nothing if there are no errors. */
export function Partial({ errors }: { readonly errors: readonly SteleError[] }) {
  if (errors.length === 0) return null;
  const explanations = explain();
  const reasons = [...new Set(errors.map((error) => explanations[error.code] ?? errorWords(error)))];
  return (
    <p class="partial" role="note">
      {texts.value.parts.someUnread} {reasons.join(' ')}
    </p>
  );
}

/** What an error means for a part of a page, where it means something else than for a whole one. */
const explain = (): Readonly<Partial<Record<SteleErrorCode, string>>> => ({
  HEIGHT_PRUNED: texts.value.failure.olderDeleted,
  HEIGHT_NOT_YET_AVAILABLE: texts.value.failure.archiveLacks,
});
