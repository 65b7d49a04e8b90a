/** The icon of Stele, an SVG image: a standing stone with an inscription. */
export const icon =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><path fill="#64748b" d="M8 27V12a8 8 0 0 1 16 0v15z"/><path fill="#94a3b8" d="M4 26h24v3H4z"/><path stroke="#f8fafc" stroke-width="2" stroke-linecap="round" d="M12 12h8M12 16h8M12 20h5"/></svg>';
