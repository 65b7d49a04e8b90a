import { useEffect, useState } from 'preact/hooks';
import { Card } from '../components/page/Card.tsx';
import { Notice } from '../components/page/Notice.tsx';
import { Page } from '../components/page/Page.tsx';
import { PageHead } from '../components/page/PageHead.tsx';
import { Skeleton } from '../components/page/Skeleton.tsx';
import { refute } from '../data/refuted.ts';
import { usePage } from '../data/usePage.ts';
import { count } from '../format/numbers.ts';
import { HeadDocument, HeadLiveDocument } from '../gen/graphql.ts';
import { proofsTexts } from '../language/proofs/texts.ts';
import { at, type PathParts, urlOf } from '../routing/router.ts';
import { Links } from './Links.tsx';
import { levelCounts } from './report.ts';
import { type Subject, type SubjectOutcome, subjectFor } from './subjects.ts';
import { unavailableWords } from './unavailable.ts';
import { download } from './verifier.ts';

/** The whole chain of reasons for what a page shows of a proposal or an account, verified in this browser. */
export function Proof({ id, address = '' }: PathParts) {
  const subject = id === undefined ? subjectFor('account', address) : subjectFor('proposal', id);
  const state = usePage({ past: HeadDocument, live: HeadLiveDocument }, {});
  return (
    <Page title={proofsTexts.value.page.title(subject.name)} state={state}>
      {({ head }) => (
        <>
          <PageHead
            kind={proofsTexts.value.links.proof}
            title={
              <a class="break" href={urlOf(subject.path)}>
                {subject.name}
              </a>
            }
          />
          <Verification key={at.value?.toString()} subject={subject} chainId={head?.chainId} />
        </>
      )}
    </Page>
  );
}

/** Verifies the subject once, at the height of the URL or the newest one that can be proven. */
function Verification({ subject, chainId }: { readonly subject: Subject; readonly chainId: string | undefined }) {
  const [outcome, setOutcome] = useState<Exclude<SubjectOutcome, { kind: 'REFUTED' }>>();

  useEffect(() => {
    const leaving = new AbortController();
    const height = at.value;
    subject.prove({ height, chainId }, undefined, leaving.signal).then(
      (result) => {
        if (result.kind !== 'REFUTED') setOutcome(result);
        else refute({ ...result.flaw, chainId, height: height?.toString(), save: () => download(result) });
      },
      () => undefined,
    );
    return () => leaving.abort();
  }, []);

  if (outcome === undefined)
    return (
      <Card title={proofsTexts.value.page.verifying}>
        <p class="muted" role="status">
          {proofsTexts.value.page.verifyingNow}
        </p>
        <Skeleton lines={6} />
      </Card>
    );
  if (outcome.kind === 'UNAVAILABLE')
    return (
      <Notice title={proofsTexts.value.page.none}>
        <p>{unavailableWords(outcome.error)}</p>
      </Notice>
    );
  const { report } = outcome;
  const isWhole = levelCounts(report).ASSERTED === 0;
  return (
    <>
      <p class="lead">
        {proofsTexts.value.page.verifiedBlock} {count(report.height)}: {outcome.words.join('; ')}
        {proofsTexts.value.page.eachLink} {isWhole ? proofsTexts.value.page.nothing : proofsTexts.value.page.nothingElse}{' '}
        {proofsTexts.value.page.unproven} {Math.max(1, Math.round(report.milliseconds))} {proofsTexts.value.page.milliseconds}
      </p>
      <p class="row wrap">
        <button type="button" class="button" onClick={() => download(outcome)}>
          {proofsTexts.value.page.download}
        </button>
        <span class="muted small">
          <code>{'npx stele-verify'}</code> {proofsTexts.value.page.checksFile}
        </span>
      </p>
      <Links of={report} />
    </>
  );
}
