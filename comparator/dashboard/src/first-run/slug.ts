/** A validation's name as a step of a path: names may hold dots and capitals, which paths may too. */
export const slugOf = (name: string): string => encodeURIComponent(name)
