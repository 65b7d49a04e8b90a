import type { ComponentChildren } from 'preact';

/** A name and a value. Facts whose value is null or undefined are left out. */
export type Fact = readonly [name: string, value: ComponentChildren];

/** A list of names and values. */
export function Facts({ of }: { readonly of: readonly Fact[] }) {
  return (
    <dl class="facts">
      {of
        .filter(([, value]) => value !== null && value !== undefined && value !== '')
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}
