import { useEffect } from 'preact/hooks';
import { Facts } from '../components/page/Facts.tsx';
import { HeadOnly } from '../components/page/HeadOnly.tsx';
import { dashboardName } from '../data/look.ts';
import { refuted } from '../data/refuted.ts';
import { count } from '../format/numbers.ts';
import { texts } from '../language/language.ts';
import { proofsTexts } from '../language/proofs/texts.ts';
import { urlOf } from '../routing/router.ts';
import { forgetTrust } from './verifier.ts';

/** Codes that can also mean that the trust of this browser is too old, or of a chain that began again. */
const ofTrust: readonly string[] = ['NOT_TRUSTED', 'EXPIRED', 'CONFLICT'];

/** In place of a page: its proof is wrong. */
export function Refuted() {
  const refutation = refuted.value;
  useEffect(() => {
    document.title = proofsTexts.value.refuted.title(dashboardName);
  }, []);
  if (refutation === undefined) return null;
  const { code, message, field, chainId, height, save } = refutation;
  const words: Readonly<Record<string, string>> = proofsTexts.value.reasons;
  const isTrust = ofTrust.includes(code);
  return (
    <section class="refuted" role="alert">
      <HeadOnly />
      <h1>{code === 'EXPIRED' ? proofsTexts.value.refuted.cannotVerify : proofsTexts.value.refuted.wrong}</h1>
      <p class="lead">{words[code] ?? proofsTexts.value.refuted.doesNotFollow}</p>
      <p>{isTrust ? proofsTexts.value.refuted.doNotRely : proofsTexts.value.refuted.doNotAct}</p>
      <Facts
        of={[
          [
            proofsTexts.value.levels.field,
            field === undefined ? proofsTexts.value.refuted.wholeProof : <code class="break">{field}</code>,
          ],
          [
            proofsTexts.value.refuted.whatIsWrong,
            <span class="break">{field === undefined ? message : message.replace(`${field}: `, '')}</span>,
          ],
          [texts.value.words.block, height === undefined ? null : count(height)],
          [texts.value.words.chain, chainId],
          [proofsTexts.value.refuted.server, window.location.origin],
          [proofsTexts.value.refuted.code, <code>{code}</code>],
        ]}
      />
      <p class="row">
        <button type="button" class="button" onClick={save}>
          {proofsTexts.value.page.download}
        </button>
        <button
          type="button"
          class="button"
          onClick={() => {
            refuted.value = undefined;
          }}
        >
          {proofsTexts.value.refuted.readAgain}
        </button>
        <a href={urlOf('/status')}>{proofsTexts.value.refuted.whatVerifies}</a>
      </p>
      {isTrust && chainId !== undefined ? (
        <p>
          {proofsTexts.value.refuted.beganAgain}{' '}
          <button
            type="button"
            class="button small"
            onClick={() => {
              forgetTrust(chainId);
              refuted.value = undefined;
            }}
          >
            {proofsTexts.value.refuted.forget}
          </button>
        </p>
      ) : null}
    </section>
  );
}
