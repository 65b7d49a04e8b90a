import type { Recorder } from '../../archive/facts.ts';
import { createGovRecorder } from '../gov/recorder/recorder.ts';
import { createRecorder } from '../group/recorder/recorder.ts';

/** Makes the recorder of all governance that a chain may have: groups, and the governance module. */
export function createChainRecorder(): Recorder {
  const [groups, gov] = [createRecorder(), createGovRecorder()];
  return {
    async block(...args) {
      const [groupFacts, govFacts] = await Promise.all([groups.block(...args), gov.block(...args)]);
      return govFacts.length === 0 ? groupFacts : [...groupFacts, ...govFacts];
    },
    async start(pin) {
      const [groupFacts, govFacts] = await Promise.all([groups.start(pin), gov.start(pin)]);
      return [...groupFacts, ...govFacts];
    },
    async absent(pin) {
      return (await Promise.all([groups.absent(pin), gov.absent(pin)])).flat();
    },
    earlier: groups.earlier,
    proofRequests: groups.proofRequests,
  };
}
