import { actorOf, actorsOf, chosenActor } from '../../actions/actors.ts';
import { actingTexts } from '../../language/acting/texts.ts';

interface ActorChoiceProps {
  readonly chainId: string | undefined;
  /** The names of accounts that the page knows, by address. */
  readonly names?: ReadonlyMap<string, string>;
}

/** Whom the visitor acts as. */
export function ActorChoice({ chainId, names }: ActorChoiceProps) {
  const actors = actorsOf(chainId);
  if (actors.length < 2) return null;
  return (
    <fieldset class="chips">
      <legend>{actingTexts.value.sending.actAs}</legend>
      {actors.map(({ id, text, address }) => {
        const name = names?.get(address ?? '');
        return (
          <button
            key={id}
            type="button"
            class="chip"
            title={address}
            aria-pressed={actorOf(chainId)?.id === id}
            onClick={() => {
              chosenActor.value = id;
            }}
          >
            {name ? `${text}, ${name}` : text}
          </button>
        );
      })}
    </fieldset>
  );
}
