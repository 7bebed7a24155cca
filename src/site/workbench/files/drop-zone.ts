/** Accepts dropped files; elsewhere a dropped file would replace the page. */

export function takeDrops(element: HTMLElement, take: (files: readonly File[]) => void): void {
  let depth = 0
  const mark = (change: number) => {
    depth = Math.max(0, depth + change)
    element.classList.toggle('dropping', depth > 0)
  }
  const holdsFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files') ?? false

  element.addEventListener('dragenter', (event) => holdsFiles(event) && mark(1))
  element.addEventListener('dragleave', (event) => holdsFiles(event) && mark(-1))
  element.addEventListener('drop', (event) => {
    mark(-Infinity)
    take([...(event.dataTransfer?.files ?? [])])
  })
  for (const name of ['dragover', 'drop'] as const) {
    document.addEventListener(name, (event) => holdsFiles(event) && event.preventDefault())
  }
}
