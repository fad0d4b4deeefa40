package io.sluice.client;

/**
 * What an engine's map side keeps before it hands contents over.
 *
 * @param contentBytes bytes of one content, unless a record is larger
 * @param spillBytes records held by a task before they are handed over
 */
public record WriterConfig(int contentBytes, long spillBytes) {
  public WriterConfig {
    if (contentBytes < 1 || spillBytes < 1) {
      throw new IllegalArgumentException(
          "writer: expected sizes of at least 1 byte, found contentBytes="
              + contentBytes
              + " spillBytes="
              + spillBytes);
    }
  }
}
