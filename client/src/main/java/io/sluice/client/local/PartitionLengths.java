package io.sluice.client.local;

import java.io.IOException;

/** Reads the number of bytes of each partition in a local file. */
public interface PartitionLengths {
  /**
   * Returns the number of bytes of every partition, in the order of the file.
   *
   * @throws IOException if the lengths are no longer available; the output is then skipped
   */
  long[] read() throws IOException;
}
