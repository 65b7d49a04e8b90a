import { useEffect, useRef, useState } from 'preact/hooks';
import { Height } from '../../components/Address.tsx';
import { Code } from '../../components/Code.tsx';
import { CopyButton } from '../../components/Copy.tsx';
import { Card } from '../../components/page/Card.tsx';
import { Skeleton } from '../../components/page/Skeleton.tsx';
import { errorWords } from '../../data/failures.ts';
import { useRead } from '../../data/useRead.ts';
import { ContractAnswerDocument } from '../../gen/graphql.ts';
import { chainTexts } from '../../language/chain/texts.ts';
import { texts } from '../../language/language.ts';
import { parameters, setParameters } from '../../routing/router.ts';

/** A message to a contract. undefined for a text that is no JSON object. */
function messageIn(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

interface AskProps {
  readonly address: string;
  /** The height that the page shows. */
  readonly height: bigint;
}

/** A box for a query of the contract, and its answer at the block at which it was asked. The query is in the URL. */
export function Ask({ address, height }: AskProps) {
  const urlText = parameters.value.get('query') ?? '';
  const [text, setText] = useState(urlText);
  const [isTried, setTried] = useState(false);
  const [asked, setAsked] = useState(urlText === '' ? undefined : { text: urlText, height });
  const sentText = useRef(urlText);
  useEffect(() => {
    // The visitor went back, or opened another link to the contract.
    if (urlText === sentText.current) return;
    sentText.current = urlText;
    setText(urlText);
    setAsked(urlText === '' ? undefined : { text: urlText, height });
  }, [urlText]);

  const message = messageIn(text);
  const isWrong = isTried && message === undefined;
  const askedMessage = asked && messageIn(asked.text);
  return (
    <Card title={chainTexts.value.contract.query}>
      <div class="arguments">
        <form
          class="arguments"
          noValidate
          onSubmit={(event) => {
            event.preventDefault();
            setTried(true);
            if (message === undefined) return;
            sentText.current = text;
            setAsked({ text, height });
            setParameters({ query: text });
          }}
        >
          <div class="field">
            <label for="contract-query">{chainTexts.value.contract.json}</label>
            <textarea
              id="contract-query"
              rows={3}
              spellcheck={false}
              placeholder='{ "balance": { "address": "…" } }'
              aria-invalid={isWrong}
              aria-describedby="contract-query-note"
              value={text}
              onInput={(event) => setText(event.currentTarget.value)}
            />
          </div>
          <div class="row">
            <button type="submit" class="button primary">
              {chainTexts.value.contract.ask}
            </button>
            <span class={isWrong ? 'note failed' : 'note'} id="contract-query-note" role="status">
              {isWrong ? chainTexts.value.contract.notObject : chainTexts.value.contract.askNote}
            </span>
          </div>
        </form>
        {asked === undefined || askedMessage === undefined ? null : (
          <Answer address={address} message={askedMessage} height={asked.height} />
        )}
      </div>
    </Card>
  );
}

interface AnswerProps extends AskProps {
  readonly message: object;
}

/** What a contract answers, or why it refuses. */
function Answer({ address, message, height }: AnswerProps) {
  const { data, partial, failure } = useRead(ContractAnswerDocument, { address, msg: message }, height);
  const error = failure ?? partial[0];
  const at = (
    <p class="muted small">
      {texts.value.shell.atBlock} <Height of={height.toString()} />
    </p>
  );
  if (error !== undefined) {
    const { log } = error.facts;
    return (
      <>
        <p class="failure-box break" role="alert">
          {typeof log === 'string' ? log : errorWords(error)}
        </p>
        {at}
      </>
    );
  }
  if (data === undefined) return <Skeleton lines={2} />;
  const answer = JSON.stringify(data.contract?.query ?? null, null, 2);
  return (
    <>
      <Code of={answer} />
      <div class="row">
        <CopyButton text={answer} label={chainTexts.value.contract.copyAnswer} />
        {at}
      </div>
    </>
  );
}
