/** Common failures of the SDK, by codespace and code. The log has the details. */
const plain: Readonly<Record<string, string>> = {
  'sdk/4': 'The signature is not valid: wrong key, sequence or chain.',
  'sdk/5': 'The account has too few coins.',
  'sdk/11': 'It ran out of gas.',
  'sdk/13': 'The fee was too low.',
  'sdk/32': 'The sequence of the account was wrong.',
  'group/2': 'The group module refused it: it is not allowed in this state.',
};

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
  const plainText = plain[`${codespace}/${code}`];
  const text = reason === '' ? `${codespace} code ${code}` : reason;
  return plainText === undefined ? text : `${plainText} (${text})`;
}
