/** From now on a file that is dropped where nothing takes files does not open in place of the page. */
export function refuseStrayFiles(): void {
  addEventListener('dragover', refuse);
  addEventListener('drop', refuse);
}

function refuse(event: DragEvent): void {
  if (event.defaultPrevented || !event.dataTransfer?.types.includes('Files')) return;
  event.preventDefault();
  event.dataTransfer.dropEffect = 'none';
}
