/** The client for development. Its secret is public, so it exists only on loopback addresses. The playground imports this file into its page. */
export const devnetClient = { id: 'devnet', secret: 'devnet', audience: 'http://localhost:4000' } as const;
