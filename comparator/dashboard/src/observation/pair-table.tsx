import type { ComponentChildren } from 'preact'

interface PairTableProps {
  /** For people who cannot see it. */
  title: string
  /** What each line is about. */
  of: string
  children: ComponentChildren
}

/** Both sides next to each other, line by line, with their difference. */
export function PairTable({ title, of, children }: PairTableProps) {
  return (
    <table class="fields folds">
      <caption class="visually-hidden">{title}</caption>
      <thead>
        <tr>
          <th scope="col">{of}</th>
          <th scope="col">
            <span class="leg leg-primary">Primary</span>
          </th>
          <th scope="col">
            <span class="leg leg-candidate">Candidate</span>
          </th>
          <th scope="col">How</th>
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  )
}
