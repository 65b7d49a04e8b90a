import { useState } from 'preact/hooks';
import { CopyButton } from '../../components/Copy.tsx';
import { serverTexts } from '../../language/server/texts.ts';
import { ask, failureOf, type Webhook } from './requests.ts';

const example = 'subscription { proposalUpdated { proposal { id title status } } }';

/** What the visitor has entered. */
const emptyForm = { url: '', description: '', document: example, variables: '', after: '', signing: 'ED25519' };

/** The variables in the form. Throws if they are no JSON. */
const variablesIn = (text: string): object => (text.trim() === '' ? {} : { variables: JSON.parse(text) });

/** The key of a new webhook, which is shown once. */
function Key({ of: { secret, publicKey } }: { readonly of: Webhook }) {
  const key = secret ?? publicKey ?? '';
  return (
    <div class="confirmation">
      <p>
        <strong>{secret === null ? serverTexts.value.webhooks.publicKey : serverTexts.value.webhooks.secret}</strong>
      </p>
      <p class="mono break">{key}</p>
      <CopyButton
        text={key}
        label={secret === null ? serverTexts.value.webhooks.copyKey : serverTexts.value.webhooks.copySecret}
      />
    </div>
  );
}

/** A form for a webhook. */
export function NewWebhook({ onChange }: { readonly onChange: () => void }) {
  const [form, setForm] = useState(emptyForm);
  const [created, setCreated] = useState<Webhook | undefined>(undefined);
  const [problem, setProblem] = useState('');
  const [isBusy, setBusy] = useState(false);
  const enter = (name: keyof typeof emptyForm) => ({
    id: `webhook-${name}`,
    value: form[name],
    onInput: ({ currentTarget }: { readonly currentTarget: { readonly value: string } }) =>
      setForm({ ...form, [name]: currentTarget.value }),
  });

  async function create(): Promise<void> {
    const { url, description, document, variables, after, signing } = form;
    let givenVariables: object;
    try {
      givenVariables = variablesIn(variables);
    } catch {
      return setProblem(serverTexts.value.webhooks.badVariables);
    }
    setBusy(true);
    const body = {
      url: url.trim(),
      description,
      document,
      signing,
      ...givenVariables,
      ...(after.trim() !== '' && { after: after.trim() }),
    };
    try {
      setCreated(await ask<Webhook>('POST', '', body));
      setForm(emptyForm);
      setProblem('');
    } catch (error) {
      setProblem(failureOf(error).message);
    }
    setBusy(false);
    onChange();
  }

  return (
    <form
      class="act-form"
      onSubmit={(event) => {
        event.preventDefault();
        if (!isBusy) void create();
      }}
    >
      <label for="webhook-url">{serverTexts.value.webhooks.url}</label>
      <input type="url" autocomplete="off" placeholder="https://" required {...enter('url')} />
      <label for="webhook-document">{serverTexts.value.webhooks.document}</label>
      <textarea class="mono" rows={4} spellcheck={false} required {...enter('document')} />
      <label for="webhook-variables">{serverTexts.value.webhooks.variables}</label>
      <textarea class="mono" rows={1} spellcheck={false} {...enter('variables')} />
      <label for="webhook-description">{serverTexts.value.webhooks.description}</label>
      <input type="text" autocomplete="off" maxLength={500} {...enter('description')} />
      <label for="webhook-after">{serverTexts.value.webhooks.beginAfter}</label>
      <input type="text" inputMode="numeric" pattern="[0-9]*" autocomplete="off" {...enter('after')} />
      <label for="webhook-signing">{serverTexts.value.webhooks.signedWith}</label>
      <select {...enter('signing')}>
        <option value="ED25519">{serverTexts.value.webhooks.ed25519}</option>
        <option value="HMAC">{serverTexts.value.webhooks.hmac}</option>
      </select>
      <p class="note failed" role="status">
        {problem}
      </p>
      <div class="row">
        <button type="submit" class="button primary" disabled={isBusy}>
          {serverTexts.value.webhooks.create}
        </button>
      </div>
      {created === undefined ? null : <Key of={created} />}
    </form>
  );
}
