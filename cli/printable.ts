/**
 * What came from a server, for a terminal: a model names its own version, and a terminal obeys control characters, by
 * which a failed gate could be made to look passed. They are spelt as in JSON.
 */
export const printable = (text: string): string => text.replace(/[^\P{Cc}\n\t]/gu, spelt)

/** The same of what has a line to itself, which it must not end. */
export const printableLine = (text: string): string => text.replace(/\p{Cc}/gu, spelt)

const spelt = (control: string) => `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`
