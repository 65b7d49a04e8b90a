import { signal } from '@preact/signals';

const key = 'stele.names';

/** The names that the visitor has given to accounts, by address. They stay in this browser. */
export const book = signal<Readonly<Record<string, string>>>(stored());

function stored(): Readonly<Record<string, string>> {
  try {
    const entries = Object.entries(Object(JSON.parse(localStorage.getItem(key) ?? '{}')));
    return Object.fromEntries(entries.flatMap(([address, name]) => (typeof name === 'string' ? [[address, name]] : [])));
  } catch {
    return {};
  }
}

/** Gives an account a name in the address book of this browser. An empty one removes it. */
export function nameAccount(address: string, name: string): void {
  const { [address]: _before, ...others } = book.value;
  book.value = name === '' ? others : { ...others, [address]: name };
  try {
    localStorage.setItem(key, JSON.stringify(book.value));
  } catch {
    // Without storage, the names last as long as this document.
  }
}

// Another tab has changed the book.
window.addEventListener('storage', (event) => {
  if (event.key === key) book.value = stored();
});
