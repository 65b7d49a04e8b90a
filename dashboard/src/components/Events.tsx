import { texts } from '../language/language.ts';

interface EventData {
  readonly type: string;
  readonly msgIndex?: number | null;
  readonly attributes: readonly { readonly key: string; readonly value: string }[];
}

/** Events, each opened on demand. */
export function Events({ of }: { readonly of: readonly EventData[] }) {
  if (of.length === 0) return <p class="empty">{texts.value.parts.noEvents}</p>;
  return (
    <div class="events">
      {of.map((event, index) => (
        <details key={index}>
          <summary>
            <code>{event.type}</code>
            {event.msgIndex === null || event.msgIndex === undefined ? null : (
              <span class="muted small">
                {' '}
                {texts.value.parts.message} {event.msgIndex + 1}
              </span>
            )}
          </summary>
          <dl class="facts">
            {event.attributes.map(({ key, value }, place) => (
              <div key={place}>
                <dt>{key}</dt>
                <dd>
                  <code class="break">{value}</code>
                </dd>
              </div>
            ))}
          </dl>
        </details>
      ))}
    </div>
  );
}
