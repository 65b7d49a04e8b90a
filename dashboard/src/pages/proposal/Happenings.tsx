import type { ComponentChildren } from 'preact';
import { Height, TransactionHash } from '../../components/Address.tsx';
import { Card } from '../../components/page/Card.tsx';
import { Time } from '../../components/Time.tsx';
import { texts } from '../../language/language.ts';

/** Something that happened to a proposal. */
export interface Happening {
  readonly time: string | null;
  readonly text: ComponentChildren;
  readonly hash?: string | null | undefined;
  readonly height?: string | null | undefined;
}

/** What happened to a proposal, in order, each with its transaction, or its block if the block did it by itself. */
export function Happenings({ of, children }: { readonly of: readonly Happening[]; readonly children?: ComponentChildren }) {
  return (
    <Card title={texts.value.proposal.timeline}>
      <ol class="timeline">
        {of.map(({ time, text, hash, height }, index) => (
          <li key={index}>
            <div>{text}</div>
            <div class="small muted">
              <Time of={time} />
              {hash ? (
                <>
                  {' · '}
                  <TransactionHash of={hash} />
                </>
              ) : height ? (
                <>
                  {` · ${texts.value.words.inBlock} `}
                  <Height of={height} />
                </>
              ) : null}
            </div>
          </li>
        ))}
      </ol>
      {children}
    </Card>
  );
}
