import { EmptyState } from './empty-state.tsx'

export function UnknownValidation({ name }: { name: string }) {
  return (
    <EmptyState title={`There is no validation named ${name}`} heading="h1">
      <a href="#/">See all validations</a>
    </EmptyState>
  )
}
