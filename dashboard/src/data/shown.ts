import { computed, signal } from '@preact/signals';
import { at } from '../routing/router.ts';

/** The block that the numbers on the page are of. */
export interface Shown {
  readonly height: bigint;
  /** Block time, RFC 3339. undefined if the chain has no block. */
  readonly time: string | undefined;
  readonly chainId: string | undefined;
}

/** The block that the page shows; undefined until its data has arrived. */
export const shownHead = signal<Shown | undefined>(undefined);

/** The newest block that any page of this tab has seen. */
export const newest = signal<Shown | undefined>(undefined);

/** Whether the chain was started again under the same id since this tab was opened, and the visitor has not read the note about it. */
export const wasReset = signal(false);

/** Notes that the chain was started again: what is known of its newest block is void. */
export function noteReset(): void {
  newest.value = undefined;
  wasReset.value = true;
}

/** Notes a block of the chain. */
export function noteBlock(block: Shown): void {
  if (newest.value === undefined || block.height > newest.value.height) newest.value = block;
}

/** Notes the block of an answer that the page shows. */
export function showBlock(block: Shown): void {
  shownHead.value = block;
  noteBlock(block);
}

/** Notes that the page which showed a block is left. */
export function hideBlock(): void {
  shownHead.value = undefined;
}

/** The clock of the browser, in ms. It moves once a second. */
const clock = signal(Date.now());
setInterval(() => {
  clock.value = Date.now();
}, 1_000);

/** The time that relative times count from, in ms: the present, or the time of the block of the past that the page shows. */
export const reference = computed(() => {
  const time = at.value === undefined ? undefined : shownHead.value?.time;
  return time === undefined ? clock.value : Date.parse(time);
});
