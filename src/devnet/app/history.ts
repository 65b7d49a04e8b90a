import type { HistoryStep } from './genesis.ts';

export function createHistory(): HistoryStep[] {
  return [];
}
