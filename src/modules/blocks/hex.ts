/** Bytes in upper case hex; empty for none. */
export function hexOf(bytes: Uint8Array | undefined): string {
  return Buffer.from(bytes ?? [])
    .toString('hex')
    .toUpperCase();
}
