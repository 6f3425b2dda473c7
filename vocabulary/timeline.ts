/** What changes how figures over time are read. `rollout`: live traffic moved; `version`: another model answers. */
export interface TimelineEvent {
  at: string
  kind: 'rollout' | 'version' | 'policy'
  /** A word or two, for a chart. */
  label: string
  /** In a sentence. */
  text: string
}

/** `GET /v1/validations/{name}/timeline`, oldest first. */
export interface TimelineView {
  events: TimelineEvent[]
}
