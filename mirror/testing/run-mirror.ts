import { runMirror } from '../main.ts'

// what `understudy mirror --config FILE` does, without the command line's other rooms
await runMirror(process.argv[2]!)
