import { useEffect } from 'preact/hooks';
import { Facts } from '../components/page/Facts.tsx';
import { HeadOnly } from '../components/page/HeadOnly.tsx';
import { dashboardName } from '../data/look.ts';
import { refuted } from '../data/refuted.ts';
import { count } from '../format/numbers.ts';
import { urlOf } from '../routing/router.ts';
import { forgetTrust } from './verifier.ts';

/** What each code of the verifier means for a visitor. */
const words: Readonly<Record<string, string>> = {
  INCOMPLETE: 'A list in the answer lacks an entry, or has one too many.',
  WRONG_VALUE: 'A value in the answer is another one than the chain has.',
  OTHER_VALUE: 'The page showed another value for this block than the chain has.',
  NOT_PROVEN: 'The proof does not prove what the answer says.',
  WRONG_SIGNATURE: 'A signature of a validator is not valid.',
  TOO_LITTLE_POWER: 'Validators with at most two thirds of the voting power signed the block.',
  WRONG_HASH: 'A hash is another one than it has to be.',
  WRONG_CHAIN: 'The proof is one of another chain.',
  WRONG_HEIGHT: 'The proof is one of another block.',
  CONFLICT: 'The block is another one than the block of the same height that this browser has verified.',
  NOT_TRUSTED:
    'The block is not signed by the validators that this browser trusts, or they have changed too much since it was last opened.',
  EXPIRED: 'The block that this browser trusts is too old to verify others with.',
  MALFORMED: 'The proof cannot be read.',
};

/** Codes that can also mean that the trust of this browser is too old, or of a chain that began again. */
const ofTrust: readonly string[] = ['NOT_TRUSTED', 'EXPIRED', 'CONFLICT'];

/** In place of a page: its proof is wrong. */
export function Refuted() {
  const refutation = refuted.value;
  useEffect(() => {
    document.title = `Wrong proof · ${dashboardName}`;
  }, []);
  if (refutation === undefined) return null;
  const { code, message, field, chainId, height, save } = refutation;
  const isTrust = ofTrust.includes(code);
  return (
    <section class="refuted" role="alert">
      <HeadOnly />
      <h1>{code === 'EXPIRED' ? 'This answer cannot be verified' : 'The proof of this answer is wrong'}</h1>
      <p class="lead">{words[code] ?? 'The answer does not follow from what the validators signed.'}</p>
      <p>
        {isTrust
          ? 'Do not rely on it before you know why.'
          : 'The server, a node behind it, or something between it and you sent an answer that the chain did not give. Do not act on it.'}
      </p>
      <Facts
        of={[
          ['Field', field === undefined ? 'the proof as a whole' : <code class="break">{field}</code>],
          ['What is wrong', <span class="break">{field === undefined ? message : message.replace(`${field}: `, '')}</span>],
          ['Block', height === undefined ? null : count(height)],
          ['Chain', chainId],
          ['Server', window.location.origin],
          ['Code', <code>{code}</code>],
        ]}
      />
      <p class="row">
        <button type="button" class="button" onClick={save}>
          Download the answer with its proof
        </button>
        <button
          type="button"
          class="button"
          onClick={() => {
            refuted.value = undefined;
          }}
        >
          Read the page again
        </button>
        <a href={urlOf('/status')}>What the server verifies</a>
      </p>
      {isTrust && chainId !== undefined ? (
        <p>
          If the chain began again, or this browser was away for long:{' '}
          <button
            type="button"
            class="button small"
            onClick={() => {
              forgetTrust(chainId);
              refuted.value = undefined;
            }}
          >
            Forget the block that this browser trusts
          </button>
        </p>
      ) : null}
    </section>
  );
}
