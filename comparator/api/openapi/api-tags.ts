/** The groups of the API's operations, in the order in which a newcomer would read them. */
export const apiTags = [
  { name: 'delivery', description: 'What mirrors and label sources send.' },
  { name: 'routing', description: 'What mirrors follow.' },
  { name: 'validations', description: 'The state of each validation, and its history.' },
  { name: 'gate', description: 'Gate evaluations, current and past.' },
  { name: 'metrics', description: 'Metrics: totals, over time, by slice.' },
  { name: 'observations', description: 'The exchanges themselves.' },
  { name: 'promotions', description: 'Promotions, which move live traffic.' },
  { name: 'audit', description: 'The audit: who did what.' },
  { name: 'mirrors', description: 'The mirrors that report to this comparator.' },
  { name: 'session', description: 'Signing in and out on a page.' },
  { name: 'health', description: 'For operators of this service.' },
]
