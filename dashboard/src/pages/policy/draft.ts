import type { PaymentForm } from '../../components/acting/PaymentFields.tsx';

/** A message as the visitor enters it. */
export interface Entry extends PaymentForm {
  /** `send`, or the type of a message that is written as JSON. */
  readonly kind: string;
  readonly json: string;
  /** What was entered into the form of the type, as JSON text. Empty if nothing was, or the message was written as JSON. */
  readonly form: string;
}

/** A message in which nothing was entered. */
export const newMessage: Entry = { kind: 'send', recipient: '', amount: '', denom: '', json: '', form: '' };

/** A proposal that is being written. */
export interface Draft {
  readonly title: string;
  /** In Markdown. */
  readonly summary: string;
  readonly messages: readonly Entry[];
}

/** A draft in which nothing was entered. */
export const emptyDraft: Draft = { title: '', summary: '', messages: [newMessage] };

const keyOf = (policy: string): string => `stele.draft.${policy}`;

function textsOf(value: unknown): Record<string, string> {
  return Object.fromEntries(Object.entries(Object(value)).map(([name, text]) => [name, String(text)]));
}

/** The draft of a policy in this browser. undefined if there is none. */
export function readDraft(policy: string): Draft | undefined {
  try {
    const draft: unknown = JSON.parse(localStorage.getItem(keyOf(policy)) ?? 'null');
    const { messages } = Object(draft);
    if (!Array.isArray(messages) || messages.length === 0) return undefined;
    const { title = '', summary = '' } = textsOf(draft);
    return { title, summary, messages: messages.map((each) => ({ ...newMessage, ...textsOf(each) })) };
  } catch {
    // The browser keeps nothing, or something else wrote it.
    return undefined;
  }
}

/** Keeps the draft of a policy in this browser. An empty one is removed. */
export function keepDraft(policy: string, draft: Draft): void {
  try {
    if (draft === emptyDraft) localStorage.removeItem(keyOf(policy));
    else localStorage.setItem(keyOf(policy), JSON.stringify(draft));
  } catch {
    // Without storage, the draft ends with the page.
  }
}
