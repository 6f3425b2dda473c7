/** The groups of the API's operations, in the order in which a newcomer would read them. */
export const apiTags = [
  { name: 'delivery', description: 'What mirrors and label sources send.' },
  { name: 'routing', description: 'What mirrors follow.' },
  { name: 'validations', description: 'Where each validation stands, and what happened to it.' },
  { name: 'gate', description: 'Gate evaluations, current and past.' },
  { name: 'metrics', description: 'Metrics: in total, over time, by slice.' },
  { name: 'observations', description: 'The exchanges themselves.' },
  { name: 'promotions', description: 'What moves live traffic.' },
  { name: 'audit', description: 'Who did what.' },
  { name: 'mirrors', description: 'Who reports to this comparator.' },
  { name: 'session', description: 'Signing in and out on a page.' },
  { name: 'health', description: 'For whoever runs this service.' },
]
