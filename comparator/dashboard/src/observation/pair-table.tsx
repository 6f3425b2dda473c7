import type { ComponentChildren } from 'preact'

interface PairTableProps {
  /** For those who do not see it. */
  title: string
  /** What a line is of. */
  of: string
  children: ComponentChildren
}

/** Both sides beside each other, line by line, and how they differ. */
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
