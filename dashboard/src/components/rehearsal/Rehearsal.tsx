import { SteleError } from '@stele/client';
import { useEffect, useState } from 'preact/hooks';
import type { MessageJson } from '../../actions/messages.ts';
import { stele } from '../../data/stele.ts';
import { governanceTexts } from '../../language/governance/texts.ts';
import { RehearseDocument, type RehearseQuery } from './gen/graphql.ts';
import { Outcome } from './Outcome.tsx';

interface RehearsalProps {
  readonly policy: string;
  /** The messages of the proposal; undefined until they are complete. */
  readonly messages: readonly MessageJson[] | undefined;
}

type State =
  | { readonly kind: 'none' | 'running' }
  | { readonly kind: 'done'; readonly rehearsal: RehearseQuery['rehearse'] }
  | { readonly kind: 'failed'; readonly error: string };

/** A rehearsal of a proposal before it is signed, on request. A change of the messages takes its result away. */
export function Rehearsal({ policy, messages }: RehearsalProps) {
  const [state, setState] = useState<State>({ kind: 'none' });
  const key = JSON.stringify([policy, messages]);
  useEffect(() => setState({ kind: 'none' }), [key]);

  async function run(): Promise<void> {
    if (messages === undefined) return;
    setState({ kind: 'running' });
    try {
      const { data } = await stele.query(RehearseDocument, { policy, messages: [...messages] });
      setState({ kind: 'done', rehearsal: data.rehearse });
    } catch (error) {
      if (!(error instanceof SteleError)) throw error;
      setState({ kind: 'failed', error: error.message });
    }
  }

  return (
    <div class="rehearsal-form">
      <button
        type="button"
        class="button"
        disabled={messages === undefined || state.kind === 'running'}
        onClick={() => void run()}
      >
        {state.kind === 'running' ? governanceTexts.value.rehearsal.running : governanceTexts.value.rehearsal.ask}
      </button>
      <div aria-live="polite">
        {state.kind === 'done' && state.rehearsal !== null ? <Outcome of={state.rehearsal} /> : null}
        {state.kind === 'failed' ? <p class="failed">{state.error}</p> : null}
      </div>
    </div>
  );
}
