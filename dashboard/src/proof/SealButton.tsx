import type { ComponentType } from 'preact';
import { useState } from 'preact/hooks';
import { texts } from '../language/language.ts';
import type { SealProps } from './sealProps.ts';

/**
 * A button that verifies what the page shows, in this browser. A proof is asked for only when a visitor wants one, and never again by itself: it costs the server
 * reads, and the browser signatures. The code of the seal is loaded with the first click.
 */
export function SealButton(props: SealProps) {
  const [seal, setSeal] = useState<{ readonly Seal: ComponentType<SealProps> } | 'failed'>();
  if (seal === 'failed') return <span class="small failed">{texts.value.parts.verifierNotLoaded}</span>;
  if (seal !== undefined) return <seal.Seal {...props} />;
  const load = (): void => {
    import('./index.ts').then(setSeal, () => setSeal('failed'));
  };
  return (
    <button type="button" class="button small" onClick={load}>
      {texts.value.parts.verifyHere}
    </button>
  );
}
