import { signal } from '@preact/signals';
import { texts } from '../language/language.ts';
import { developmentActors } from './developmentActors.ts';

/** The chain id of the embedded chain. */
export const developmentChain = 'stele-devnet';

/** An account that the visitor can act as. */
export interface Actor {
  readonly id: '8' | '9' | 'wallet';
  readonly text: string;
  /** undefined until the wallet is connected. */
  readonly address: string | undefined;
}

/** The account of the wallet in the browser, once the visitor has connected it. */
export const walletAddress = signal<string | undefined>(undefined);

/** Whose turn it is: the id of an actor. */
export const chosenActor = signal<Actor['id']>('8');

/** Whom the visitor can act as on a chain. */
export function actorsOf(chainId: string | undefined): readonly Actor[] {
  if (chainId === developmentChain)
    return developmentActors.map((actor) => ({ ...actor, text: texts.value.shell.accountNumber(actor.id) }));
  return walletAddress.value === undefined
    ? []
    : [{ id: 'wallet', text: texts.value.shell.yourWallet, address: walletAddress.value }];
}

/** Who acts on a chain. undefined if the visitor can act as nobody. */
export function actorOf(chainId: string | undefined): Actor | undefined {
  const actors = actorsOf(chainId);
  return actors.find(({ id }) => id === chosenActor.value) ?? actors[0];
}
