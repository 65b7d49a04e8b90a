import { useState } from 'preact/hooks';
import { book, nameAccount } from '../../data/book.ts';
import { accountsTexts } from '../../language/accounts/texts.ts';
import { texts } from '../../language/language.ts';

/** The longest name in the address book. */
const longest = 40;

/** The visitor's own name for an account, and the form that changes it. */
export function BookEntry({ address }: { readonly address: string }) {
  const [text, setText] = useState<string | undefined>(undefined);
  const name = book.value[address];
  if (text === undefined)
    return (
      <p class="row">
        {name === undefined ? null : (
          <span>
            <strong>{name}</strong> <span class="muted">{texts.value.people.inBook}</span>
          </span>
        )}
        <button type="button" class="button small" onClick={() => setText(name ?? '')}>
          {name === undefined ? accountsTexts.value.account.nameIt : accountsTexts.value.account.rename}
        </button>
      </p>
    );
  return (
    <form
      class="act-form"
      onSubmit={(event) => {
        event.preventDefault();
        nameAccount(address, text.trim());
        setText(undefined);
      }}
    >
      <label for="book-name">{accountsTexts.value.account.nameInBook}</label>
      <input
        id="book-name"
        type="text"
        autocomplete="off"
        maxLength={longest}
        value={text}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
      />
      <p class="note">{accountsTexts.value.account.bookNote}</p>
      <div class="row">
        <button type="submit" class="button primary">
          {accountsTexts.value.account.save}
        </button>
        <button type="button" class="button" onClick={() => setText(undefined)}>
          {texts.value.words.cancel}
        </button>
      </div>
    </form>
  );
}
