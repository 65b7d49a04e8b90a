import DOMPurify from 'dompurify';
import { Marked } from 'marked';
import { useMemo } from 'preact/hooks';

// This file is loaded with the first text that is Markdown.

const tags = ['p', 'br', 'strong', 'em', 'del', 'code', 'pre', 'ul', 'ol', 'li', 'blockquote', 'hr', 'a'];

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

/** Headings are bold lines: those of the page have an order, which a text must not break. */
const marked = new Marked({
  gfm: true,
  breaks: true,
  renderer: {
    heading({ tokens }) {
      return `<p><strong>${this.parser.parseInline(tokens)}</strong></p>`;
    },
    // HTML is shown as text, so that nothing is hidden and no parser sees it.
    html({ text }) {
      return escaped(text);
    },
    image({ href, text }) {
      return `<a href="${encodeURI(href)}">${escaped(text || 'image')}</a>`;
    },
  },
});

const purify = DOMPurify(window);

/** A link shows where it leads, whatever its text says, and gives the other page nothing. */
purify.addHook('afterSanitizeAttributes', (node) => {
  if (!(node instanceof HTMLAnchorElement)) return;
  if (!/^https?:$/.test(node.protocol) || !/^https?:/i.test(node.getAttribute('href') ?? '')) {
    node.replaceWith(...node.childNodes);
    return;
  }
  node.rel = 'noopener noreferrer nofollow';
  node.target = '_blank';
  const host = document.createElement('span');
  host.className = 'muted';
  host.textContent = ` (${node.host})`;
  node.append(host);
});

/** A text in Markdown. HTML is shown as text, and an image as a link. A link shows its host. */
export function Markdown({ text }: { readonly text: string }) {
  const html = useMemo(
    () =>
      purify.sanitize(marked.parse(text, { async: false }), {
        ALLOWED_TAGS: tags,
        ALLOWED_ATTR: ['href'],
        ALLOW_DATA_ATTR: false,
      }),
    [text],
  );
  return <div class="markdown" dangerouslySetInnerHTML={{ __html: html }} />;
}
