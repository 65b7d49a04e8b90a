import { useState } from 'preact/hooks';
import { book, nameAccount } from '../../data/book.ts';

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
            <strong>{name}</strong> <span class="muted">in your address book</span>
          </span>
        )}
        <button type="button" class="button small" onClick={() => setText(name ?? '')}>
          {name === undefined ? 'Name this account' : 'Change the name'}
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
      <label for="book-name">Name in your address book</label>
      <input
        id="book-name"
        type="text"
        autocomplete="off"
        maxLength={longest}
        value={text}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
      />
      <p class="note">It stays in this browser. An empty name removes the entry.</p>
      <div class="row">
        <button type="submit" class="button primary">
          Save
        </button>
        <button type="button" class="button" onClick={() => setText(undefined)}>
          Cancel
        </button>
      </div>
    </form>
  );
}
