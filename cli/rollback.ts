import { endingCommand } from './promotion-command.ts'

export const rollbackCommand = () => endingCommand('rollback', 'Move all live traffic back to the primary at once')
