import { useEffect, useState } from 'preact/hooks';
import { refute } from '../data/refuted.ts';
import { shownHead } from '../data/shown.ts';
import { count, percent } from '../format/numbers.ts';
import { percentOf } from '../format/tally.ts';
import { texts } from '../language/language.ts';
import { proofsTexts } from '../language/proofs/texts.ts';
import { urlAt } from '../routing/router.ts';
import { believedFields } from './believed.ts';
import type { SealProps } from './sealProps.ts';
import { type SubjectOutcome, subjectFor } from './subjects.ts';
import { unavailableWords } from './unavailable.ts';
import { download } from './verifier.ts';

type Shown = Exclude<SubjectOutcome, { kind: 'REFUTED' }>;

/** Verifies what the page shows, and says what was proven. It replaces the page if the proof is wrong. */
export function Seal({ kind, id, page, changed }: SealProps) {
  const [outcome, setOutcome] = useState<Shown>();
  const [attempt, setAttempt] = useState(0);
  const subject = subjectFor(kind, id);

  useEffect(() => {
    const leaving = new AbortController();
    const { height, chainId } = shownHead.value ?? {};
    setOutcome(undefined);
    subject.prove({ height, chainId }, page, leaving.signal).then(
      (result) => {
        if (result.kind !== 'REFUTED') setOutcome(result);
        else refute({ ...result.flaw, chainId, height: height?.toString(), save: () => download(result) });
      },
      () => undefined,
    );
    return () => leaving.abort();
  }, [attempt]);

  const again = (
    <button type="button" class="button small" onClick={() => setAttempt(attempt + 1)}>
      {proofsTexts.value.seal.again}
    </button>
  );
  if (outcome === undefined)
    return (
      <span class="seal" role="status">
        {proofsTexts.value.seal.verifying}
      </span>
    );
  if (outcome.kind === 'UNAVAILABLE')
    return (
      <span class="seal" role="status">
        {unavailableWords(outcome.error)} {again}
      </span>
    );
  const { report, words } = outcome;
  const { signedPower, totalPower, height } = report;
  const believed = believedFields(subject, report);
  const isOld = changed !== undefined && changed > BigInt(height);
  return (
    <span class="seal" role="status" data-tone={believed.length === 0 ? 'good' : 'warn'}>
      <svg viewBox="0 0 16 16" aria-hidden="true">
        <path d="M8 1.5 13.5 4v4c0 3.2-2.3 5.4-5.5 6.5C4.8 13.4 2.5 11.2 2.5 8V4z" />
        {believed.length === 0 ? <path d="m5.5 8 2 2 3.2-3.8" /> : null}
      </svg>
      <span>
        {believed.length === 0 ? (
          <>
            {proofsTexts.value.links.signedBy} {percent(percentOf(signedPower, totalPower))} {proofsTexts.value.seal.ofPowerAt}{' '}
            {count(height)}; {words.join('; ')}.
          </>
        ) : (
          <>
            {texts.value.words.block} {count(height)} {proofsTexts.value.seal.isSignedBy}{' '}
            {percent(percentOf(signedPower, totalPower))} {proofsTexts.value.seal.partOnly} {believed.join(', ')}{' '}
            {believed.length === 1 ? proofsTexts.value.seal.is : proofsTexts.value.seal.are} {proofsTexts.value.seal.believed}
          </>
        )}{' '}
        <a href={urlAt(`${subject.path}/proof`, BigInt(height))}>{proofsTexts.value.seal.everyLink}</a>
        {isOld ? (
          <>
            {' '}
            {proofsTexts.value.seal.changed} {again}
          </>
        ) : null}
      </span>
    </span>
  );
}
