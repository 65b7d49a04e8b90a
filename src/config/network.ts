import { isIP, isIPv4 } from 'node:net';

/** Whether a text is a network such as `10.0.0.0/8` or `2001:db8::/32`, or a single IP address. */
export function isNetwork(text: string): boolean {
  const [address = '', prefix, ...rest] = text.split('/');
  const family = isIP(address);
  if (family === 0 || address.includes('%') || rest.length > 0) return false;
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (family === 4 ? 32 : 128));
}

/** Whether an address is a loopback address, which other machines cannot reach. An IPv6 address may be in brackets, as in a URL. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host === '[::1]' || (isIPv4(host) && host.startsWith('127.'));
}
