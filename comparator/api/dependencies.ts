import type { Logger } from '../../runtime/logger.ts'
import type { ComparatorConfig } from '../config.ts'
import type { Comparator } from '../jobs/comparator.ts'
import type { Overview } from '../jobs/overview.ts'
import type { ComparatorMetrics } from './metrics.ts'
import type { RoutingWatch } from './routing-watch.ts'

/** What the routes work with. */
export interface AppDependencies {
  comparator: Comparator
  overview: Overview
  metrics: ComparatorMetrics
  routingWatch: RoutingWatch
  auth: Pick<ComparatorConfig, 'tokens' | 'oidc' | 'authFailures' | 'session'>
  logger: Logger
}
