import { isDataError } from '../../store/database/data-error.ts'

export interface Refused<Item> {
  item: Item
  /** The database's error message. */
  message: string
}

/**
 * Stores items in one transaction. If the database refuses the data of one, halves are tried separately until that item
 * is alone, and all others are stored. Errors that are not about the data are thrown.
 */
export async function storeBisecting<Item>(
  items: readonly Item[],
  store: (items: readonly Item[]) => Promise<void>,
): Promise<Refused<Item>[]> {
  if (items.length === 0) return []
  try {
    await store(items)
    return []
  } catch (error) {
    if (!isDataError(error)) throw error
    if (items.length === 1) return [{ item: items[0]!, message: error.message }]
    const middle = items.length >> 1
    const first = await storeBisecting(items.slice(0, middle), store)
    return [...first, ...(await storeBisecting(items.slice(middle), store))]
  }
}
