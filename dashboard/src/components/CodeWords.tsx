/** A text of the API in which names are between backticks. */
export function CodeWords({ of }: { readonly of: string }) {
  return <>{of.split('`').map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part))}</>;
}
