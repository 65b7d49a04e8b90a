import { hasModule } from '../../data/modules.ts';
import { Markers } from './Markers.tsx';
import { Supplies } from './Supplies.tsx';

/** The tokens of the chain. */
export function Tokens() {
  return hasModule('marker') ? <Markers /> : <Supplies />;
}
