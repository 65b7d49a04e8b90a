import { texts } from '../language/language.ts';

/** The part of a log that names the reason: `failed to execute message; message index: 0: …` without its beginning. */
export function failureWords({
  code,
  codespace,
  log,
}: {
  readonly code: number;
  readonly codespace: string;
  readonly log: string;
}): string {
  const reason = log.replace(/^failed to execute message; message index: \d+: /, '').trim();
  // Common failures of the SDK, by codespace and code. The log has the details.
  const plain: Readonly<Record<string, string>> = texts.value.txFailures;
  const plainText = plain[`${codespace}/${code}`];
  const text = reason === '' ? `${codespace} code ${code}` : reason;
  return plainText === undefined ? text : `${plainText} (${text})`;
}
