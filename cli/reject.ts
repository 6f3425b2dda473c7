import { endingCommand } from './promotion-command.ts'

export const rejectCommand = () => endingCommand('reject', 'Refuse the promotion that is requested')
