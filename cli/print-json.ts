import { printable } from './printable.ts'

/** Prints one line of JSON on standard output, with strings of a server escaped so that they are safe to print. */
export const printJson = (value: unknown): void => void process.stdout.write(`${printable(JSON.stringify(value))}\n`)
