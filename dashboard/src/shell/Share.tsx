import { CopyButton } from '../components/Copy.tsx';
import { shownHead } from '../data/shown.ts';
import { count } from '../format/numbers.ts';
import { texts } from '../language/language.ts';

/** The URL of the page as it is shown, at a height; undefined for the newest one. */
function linkAt(height: bigint | undefined): string {
  const url = new URL(window.location.href);
  if (height === undefined) url.searchParams.delete('at');
  else url.searchParams.set('at', height.toString());
  return url.href;
}

/** Links to the page that can be sent to others, and the page on paper. */
export function Share() {
  const height = shownHead.value?.height;
  return (
    <div class="row share-links">
      <CopyButton text={linkAt(undefined)} label={texts.value.shell.copyLink} />
      {height === undefined ? null : <CopyButton text={linkAt(height)} label={texts.value.shell.copyLinkAt(count(height))} />}
      <button type="button" class="button small" onClick={() => window.print()}>
        {texts.value.shell.print}
      </button>
    </div>
  );
}
