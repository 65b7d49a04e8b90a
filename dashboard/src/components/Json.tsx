import { texts } from '../language/language.ts';
import { Code } from './Code.tsx';
import { Copy } from './Copy.tsx';

/** A decoded value as JSON, opened on demand. `name` says what it is. */
export function Json({ of, name }: { readonly of: unknown; readonly name: string }) {
  const text = JSON.stringify(of, null, 2);
  return (
    <details class="json">
      <summary>{texts.value.parts.decoded(name)}</summary>
      <div class="code-box">
        <Copy text={text} name={texts.value.parts.theJson} />
        <Code of={text} />
      </div>
    </details>
  );
}
