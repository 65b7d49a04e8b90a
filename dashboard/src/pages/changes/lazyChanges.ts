import { lazyPart } from '../../components/page/lazyPart.tsx';
import type { ChangesProps } from './changesProps.ts';

/** The card "How it changed", whose code is loaded when it is first shown. */
export const LazyChanges = lazyPart<ChangesProps>(async () => (await import('./Changes.tsx')).Changes);
