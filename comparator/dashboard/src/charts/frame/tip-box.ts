/** The tooltip's room around and between its lines, the same in every chart. */
export const tipBox = { textPadding: 10, lineHeight: 1.4 }
