import { useState } from 'preact/hooks';
import { texts } from '../language/language.ts';

/** Copies a text, and says for a time that it was copied. */
function useCopy(text: string): { readonly isCopied: boolean; readonly copy: () => Promise<void> } {
  const [isCopied, setCopied] = useState(false);
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(text).catch(() => undefined);
    setCopied(true);
    setTimeout(() => setCopied(false), 1_500);
  };
  return { isCopied, copy };
}

/** A button with words that copies a text. */
export function CopyButton({ text, label }: { readonly text: string; readonly label: string }) {
  const { isCopied, copy } = useCopy(text);
  return (
    <button type="button" class="button small" onClick={copy}>
      {isCopied ? texts.value.parts.copied : label}
    </button>
  );
}

/** A button that copies a text. `name` says what it is. */
export function Copy({ text, name }: { readonly text: string; readonly name: string }) {
  const { isCopied, copy } = useCopy(text);
  return (
    <button
      type="button"
      class="copy"
      onClick={copy}
      aria-label={isCopied ? texts.value.parts.copied : texts.value.parts.copy(name)}
      title={isCopied ? texts.value.parts.copied : texts.value.parts.copy(name)}
    >
      <svg viewBox="0 0 16 16" aria-hidden="true">
        {isCopied ? <path d="m3 8.5 3.2 3.2L13 5" /> : <path d="M5.5 5.5h7v8h-7zM3.5 10.5v-8h7" />}
      </svg>
    </button>
  );
}
