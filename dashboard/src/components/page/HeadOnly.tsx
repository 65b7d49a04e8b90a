import { usePage } from '../../data/usePage.ts';
import { HeadDocument, HeadLiveDocument } from '../../gen/graphql.ts';

/** For a page that shows nothing of the chain itself: shows the newest block in the bar of the page. */
export function HeadOnly() {
  usePage({ past: HeadDocument, live: HeadLiveDocument }, {});
  return null;
}
