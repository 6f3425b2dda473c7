/**
 * Makes text from a server safe to print. A model names its own version, and control characters could make the terminal
 * show a failed gate as passed. They are escaped as in JSON.
 */
export const printable = (text: string): string => text.replace(/[^\P{Cc}\n\t]/gu, spelt)

/** The same for text on a line of its own, which must not contain line breaks either. */
export const printableLine = (text: string): string => text.replace(/\p{Cc}/gu, spelt)

const spelt = (control: string) => `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`
