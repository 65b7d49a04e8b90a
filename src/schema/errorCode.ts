import { ErrorCode, errorTable } from '../config/errorCodes.ts';
import type { Builder } from './builder.ts';

/** The description of each code: when it occurs, and in brackets the further fields of `extensions`. */
function describe(code: keyof typeof ErrorCode): { readonly description: string } {
  const { when, facts } = errorTable[code];
  return { description: facts.length === 0 ? when : `${when} [${facts.join(', ')}]` };
}

/** Adds the enum of error codes. */
export function addErrorCode(builder: Builder): void {
  const descriptions = Object.fromEntries(Object.values(ErrorCode).map((code) => [code, describe(code)]));
  builder.enumType(ErrorCode, {
    name: 'ErrorCode',
    description: 'The values of `extensions.code`. More may be added. Names in brackets are further fields of `extensions`.',
    values: descriptions,
  });
}
