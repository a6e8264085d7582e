// Chunks of a stream that are nothing. This needs no engine.

/** Whether a chunk is nothing, such as the first and the last delta of a chat interface. */
export function isEmpty(chunk) {
  return chunk === null || chunk === undefined || chunk === '' || (chunk instanceof Uint8Array && chunk.length === 0 && !isMoved(chunk));
}

/** Whether bytes were moved away, to a worker for example: they have the length 0 then, and are not nothing. */
export function isMoved(bytes) {
  try {
    bytes.at(0);
    return false;
  } catch {
    return true;
  }
}
