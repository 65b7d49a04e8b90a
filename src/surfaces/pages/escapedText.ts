/** The text as it stands in HTML and XML, also in an attribute within double quotes. XML allows `]]>` in no text, so `>` is escaped as well. */
export const escapedText = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
