/** Stands for the reader of PDF files in a build without documents. */
export const isLeftOut = true
