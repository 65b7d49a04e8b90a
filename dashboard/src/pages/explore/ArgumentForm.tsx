import { useEffect, useRef, useState } from 'preact/hooks';
import { countOf } from '../../format/numbers.ts';
import { exploreTexts } from '../../language/explore/texts.ts';
import { texts } from '../../language/language.ts';
import { setParameters } from '../../routing/router.ts';
import { FieldList } from './Fields.tsx';
import { type DraftObject, draftOfMembers, readMembers } from './model/form.ts';
import type { Method } from './model/methods.ts';
import type { TypeMap } from './model/types.ts';

interface ArgumentFormProps {
  readonly method: Method;
  readonly types: TypeMap;
  /** The arguments in the URL. */
  readonly urlArgs: object;
}

/** A form made from the arguments of a method. Sent, it puts them into the URL. */
export function ArgumentForm({ method, types, urlArgs }: ArgumentFormProps) {
  // The cursor comes from the page before.
  const members = [...method.args, ...method.pageArgs.filter(({ name }) => name !== 'after')];
  const text = JSON.stringify(urlArgs);
  const [draft, setDraft] = useState<DraftObject>(() => draftOfMembers(members, urlArgs, types));
  const [isTried, setTried] = useState(false);
  const sentText = useRef(text);
  useEffect(() => {
    // The visitor went back, or opened another link to the method.
    if (text === sentText.current) return;
    sentText.current = text;
    setTried(false);
    setDraft(draftOfMembers(members, urlArgs, types));
  }, [text]);

  const { value, problems } = readMembers(members, draft, types);
  const number = Object.keys(problems).length;
  const shownProblems = isTried ? problems : {};
  const props = { draft, types, problems: shownProblems, onChange: setDraft };
  return (
    <form
      class="arguments"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        setTried(true);
        if (number > 0) {
          const form = event.currentTarget;
          requestAnimationFrame(() => form.querySelector<HTMLElement>('[aria-invalid=true]')?.focus());
          return;
        }
        sentText.current = JSON.stringify(value);
        setParameters({ args: sentText.current, after: undefined });
      }}
    >
      {method.args.length === 0 ? null : <FieldList members={method.args} {...props} />}
      {method.pageArgs.length === 0 ? null : (
        <div class="page-arguments">
          <FieldList members={method.pageArgs.filter(({ name }) => name !== 'after')} {...props} />
        </div>
      )}
      <div class="row">
        <button type="submit" class="button primary">
          {exploreTexts.value.method.run}
        </button>
        <span class="note failed" role="status">
          {isTried && number > 0 ? exploreTexts.value.method.notValid(countOf(number, texts.value.counts.values)) : ''}
        </span>
      </div>
    </form>
  );
}
