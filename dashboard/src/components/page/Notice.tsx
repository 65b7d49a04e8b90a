import type { ComponentChildren } from 'preact';

/** Instead of content: what is missing and why. */
export function Notice({ title, children }: { readonly title: string; readonly children?: ComponentChildren }) {
  return (
    <section class="notice">
      <h1>{title}</h1>
      <div>{children}</div>
    </section>
  );
}
