import { endingCommand } from './promotion-command.ts'

export const rejectCommand = () => endingCommand('reject', 'Reject the requested promotion')
