import { texts } from '../language/language.ts';
import { Tag } from './Badge.tsx';

interface BondingProps {
  readonly of: { readonly jailed: boolean | null; readonly isBonded: boolean | null } | null;
}

/** Why the stake of a validator is not bonded, in a line of its own. Nothing if it is. */
export function Bonding({ of }: BondingProps) {
  if (of?.jailed)
    return (
      <div>
        <Tag tone="bad">{texts.value.words.jailed}</Tag>
      </div>
    );
  if (of?.isBonded !== false) return null;
  return (
    <div>
      <Tag>{texts.value.words.notBonded}</Tag>
    </div>
  );
}
