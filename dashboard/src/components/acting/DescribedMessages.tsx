import { useEffect, useState } from 'preact/hooks';
import type { MessageJson } from '../../actions/messages.ts';
import { stele } from '../../data/stele.ts';
import { DescribedMessagesDocument } from './gen/graphql.ts';

interface DescribedMessagesProps {
  readonly messages: readonly MessageJson[];
  /** What is shown of a message that the server has no words for, and until it has answered. */
  readonly sentences: readonly string[];
}

/** What messages will do, in the words of the server, which reads them as the chain would. */
export function DescribedMessages({ messages, sentences }: DescribedMessagesProps) {
  const [words, setWords] = useState<readonly (string | null)[]>([]);
  const text = JSON.stringify(messages);
  useEffect(() => {
    let isLeft = false;
    setWords([]);
    stele.query(DescribedMessagesDocument, { messages: [...messages] }).then(
      ({ data }) => isLeft || setWords(data.describeMessages?.map(({ inWords }) => inWords) ?? []),
      () => undefined,
    );
    return () => {
      isLeft = true;
    };
  }, [text]);
  return (
    <ol class="steps">
      {sentences.map((sentence, index) => (
        <li key={index}>{words[index] ?? sentence}</li>
      ))}
    </ol>
  );
}
