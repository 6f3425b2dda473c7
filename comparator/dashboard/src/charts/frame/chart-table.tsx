import { useState } from 'preact/hooks'
import { Scrollable } from '../../parts/scrollable.tsx'

/** Text to show, with the exact value if it differs; downloads contain the value. */
export type Cell = string | { text: string; value: number | string | null }

export interface ChartTableData {
  columns: string[]
  /** The first cell of each row is its header. */
  rows: Cell[][]
}

/** The chart's figures as a table, built only when someone opens it. */
export function ChartTable({ title, table }: { title: string; table: () => ChartTableData }) {
  const [open, setOpen] = useState(false)
  const data = open ? table() : null
  return (
    <details class="chart-table" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        Table<span class="visually-hidden">: {title}</span>
      </summary>
      {data && (
        <Scrollable label={title}>
          <table>
            <caption class="visually-hidden">{title}</caption>
            <thead>
              <tr>
                {data.columns.map((column, index) => (
                  <th key={column} scope="col" class={index === 0 ? undefined : 'numeric'}>
                    {column}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {data.rows.map(([head = '', ...cells], row) => (
                <tr key={`${row} ${textOf(head)}`}>
                  <th scope="row">{textOf(head)}</th>
                  {cells.map((cell, index) => (
                    <td key={data.columns[index + 1]} class="numeric">
                      {textOf(cell)}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </Scrollable>
      )}
    </details>
  )
}

function textOf(cell: Cell): string {
  return typeof cell === 'string' ? cell : cell.text
}
