/**
 * What came from a server, for a terminal: a model names its own version, and a terminal obeys control characters, by
 * which a failed gate could be made to look passed. They are spelt as in JSON.
 */
export const printable = (text: string): string =>
  text.replace(/[^\P{Cc}\n\t]/gu, (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`)
