const int8 = 20
const date = 1082

/**
 * By type, on a server as embedded. Counts and ids are far below 2^53, so numbers will do; pg would return strings, and
 * a day as local midnight.
 */
export const columnParsers: Record<number, (text: string) => unknown> = {
  [int8]: (text) => Number(text),
  [date]: (text) => text,
}
