package io.sluice.client.local;

import java.io.IOException;

/** Knows how the bytes of a local file are spread over partitions. */
public interface PartitionLengths {
  /**
   * Bytes of every partition, in the order of the file.
   *
   * @throws IOException if that cannot be known any more; the output is passed over then
   */
  long[] read() throws IOException;
}
