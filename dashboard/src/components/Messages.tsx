import { texts } from '../language/language.ts';
import { Json } from './Json.tsx';
import { shortType, Words } from './Words.tsx';

interface Message {
  readonly type: string;
  readonly inWords: string | null;
  readonly json?: unknown;
}

/** Messages in words, each with its decoded form beside it. */
export function Messages({ of }: { readonly of: readonly Message[] }) {
  if (of.length === 0) return <p class="empty">{texts.value.parts.noMessages}</p>;
  return (
    <ol class="messages">
      {of.map((message, index) => (
        <li key={index}>
          <div>
            <p class="message-words">
              <Words {...message} />
            </p>
            <p class="type">
              <code title={message.type}>{shortType(message.type)}</code>
            </p>
          </div>
          {message.json === undefined || message.json === null ? null : (
            <Json of={message.json} name={texts.value.parts.messageNumber(String(index + 1))} />
          )}
        </li>
      ))}
    </ol>
  );
}
