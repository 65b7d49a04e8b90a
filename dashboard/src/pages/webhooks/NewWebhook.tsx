import { useState } from 'preact/hooks';
import { CopyButton } from '../../components/Copy.tsx';
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
        <strong>
          {secret === null
            ? 'Verify its deliveries with this public key.'
            : 'Verify its deliveries with this secret. It is not shown again.'}
        </strong>
      </p>
      <p class="mono break">{key}</p>
      <CopyButton text={key} label={secret === null ? 'Copy the key' : 'Copy the secret'} />
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
      return setProblem('The variables must be JSON, such as {"id": "1"}.');
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
      <label for="webhook-url">URL of your server</label>
      <input type="url" autocomplete="off" placeholder="https://" required {...enter('url')} />
      <label for="webhook-document">Subscription, or query with @live</label>
      <textarea class="mono" rows={4} spellcheck={false} required {...enter('document')} />
      <label for="webhook-variables">Variables, as JSON</label>
      <textarea class="mono" rows={1} spellcheck={false} {...enter('variables')} />
      <label for="webhook-description">Description</label>
      <input type="text" autocomplete="off" maxLength={500} {...enter('description')} />
      <label for="webhook-after">Begin after this block. Empty: the newest one</label>
      <input type="text" inputMode="numeric" pattern="[0-9]*" autocomplete="off" {...enter('after')} />
      <label for="webhook-signing">Signed with</label>
      <select {...enter('signing')}>
        <option value="ED25519">Ed25519: verify with a public key</option>
        <option value="HMAC">HMAC: verify with a shared secret</option>
      </select>
      <p class="note failed" role="status">
        {problem}
      </p>
      <div class="row">
        <button type="submit" class="button primary" disabled={isBusy}>
          Create the webhook
        </button>
      </div>
      {created === undefined ? null : <Key of={created} />}
    </form>
  );
}
