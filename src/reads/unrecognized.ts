/** What stands for a value of an enum that is newer than this server. */
export const unrecognized = 'UNRECOGNIZED';
