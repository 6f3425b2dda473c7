const bytesARow = 16

interface HexRow {
  offset: string
  hex: string
  /** Printable ASCII; anything else is a dot. */
  text: string
}

/** The first bytes of a binary string, in the style of a hex editor. */
export function hexRows(binary: string, bytesMax: number): HexRow[] {
  const rows: HexRow[] = []
  const end = Math.min(binary.length, bytesMax)
  for (let at = 0; at < end; at += bytesARow) {
    const row = binary.slice(at, Math.min(end, at + bytesARow))
    const hex = Array.from(row, (byte) => byte.charCodeAt(0).toString(16).padStart(2, '0')).join(' ')
    rows.push({ offset: at.toString(16).padStart(6, '0'), hex, text: row.replace(/[^ -~]/g, '.') })
  }
  return rows
}
