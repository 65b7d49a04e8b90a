/** A text of several lines, such as a command or JSON. It scrolls if it is long. */
export function Code({ of }: { readonly of: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls must be reachable by keyboard
    <pre class="code" tabIndex={0}>
      {of}
    </pre>
  );
}
