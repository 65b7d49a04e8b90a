import { texts } from '../../language/language.ts';
/** Lines in place of a text that has not arrived. */
export function Skeleton({ lines = 3 }: { readonly lines?: number }) {
  return (
    <div class="skeleton" aria-hidden="true">
      {Array.from({ length: lines }, (_, index) => (
        <span key={index} />
      ))}
    </div>
  );
}

/** The place of a page whose data has not arrived. */
export function PageSkeleton() {
  return (
    <div class="page" aria-busy="true">
      <p class="visually-hidden" role="status">
        {texts.value.parts.loading}
      </p>
      <div class="skeleton title" aria-hidden="true">
        <span />
      </div>
      <div class="grid two">
        <div class="card">
          <Skeleton lines={6} />
        </div>
        <div class="card">
          <Skeleton lines={6} />
        </div>
      </div>
      <div class="card">
        <Skeleton lines={8} />
      </div>
    </div>
  );
}
