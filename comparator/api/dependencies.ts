import type { Milliseconds } from '../../vocabulary/units.ts'
import type { ComparatorConfig } from '../config.ts'
import type { Comparator } from '../jobs/comparator.ts'
import type { NewestJudgements } from '../jobs/gate/newest-judgements.ts'
import type { SharedAnswers } from '../jobs/gate/shared-answers.ts'
import type { Overview } from '../jobs/views/overview.ts'
import type { ComparatorMetrics } from './prometheus-metrics.ts'
import type { RoutingWatch } from './routing-watch.ts'

/** What the routes work with. */
export interface AppDependencies {
  comparator: Comparator
  judgements: NewestJudgements
  overview: Overview
  answers: SharedAnswers
  metrics: ComparatorMetrics
  routingWatch: RoutingWatch
  /** Whether the database's disk leaves room for more evidence. */
  hasRoom: () => Promise<boolean>
  /** Time limit for a whole request and for an idle connection. Must exceed the time a mirror waits for routing. */
  slowClientMs: Milliseconds
  auth: Pick<ComparatorConfig, 'tokens' | 'oidc' | 'authFailures' | 'session'>
}
