/** Hexadecimal text in upper case, without `0x`; undefined if `value` is not hexadecimal. */
export function hexText(value: string): string | undefined {
  const digits = value.replace(/^0x/i, '');
  return /^([0-9a-fA-F]{2})*$/.test(digits) ? digits.toUpperCase() : undefined;
}

/** Bytes as hexadecimal in upper case; empty text for undefined. */
export function hexOf(bytes: Uint8Array | undefined): string {
  return Buffer.from(bytes ?? [])
    .toString('hex')
    .toUpperCase();
}
