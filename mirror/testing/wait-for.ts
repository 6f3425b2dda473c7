export { waitFor } from '../../runtime/testing/wait-for.ts'
