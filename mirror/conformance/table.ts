import { test } from 'vitest'
import type { ForwarderName, OpenDefect } from './case.ts'

interface Row {
  name: string
  open?: readonly OpenDefect[]
}

/** Defines one test per row. */
export function table<Given extends Row>(
  forwarder: ForwarderName,
  rows: readonly Given[],
  run: (forwarder: ForwarderName, row: Given) => Promise<void>,
): void {
  for (const row of rows) {
    const open = row.open?.find((defect) => defect.forwarder === forwarder)
    if (open) test.fails(`${row.name} (open: ${open.what})`, () => run(forwarder, row))
    else test(row.name, () => run(forwarder, row))
  }
}
