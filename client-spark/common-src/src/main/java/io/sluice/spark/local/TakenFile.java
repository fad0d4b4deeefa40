package io.sluice.spark.local;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * A map output file that another writer finished, under a name that Spark does not know.
 *
 * @param data owned; need not exist if all lengths are 0
 * @param lengths bytes of every partition in the file, which contains them in ascending order
 */
@SuppressWarnings("ArrayRecordComponent") // Owned by one task, never compared.
public record TakenFile(Path data, long[] lengths) implements Closeable {
  /** Whether no partition has bytes. */
  public boolean isEmpty() {
    return Arrays.stream(lengths).allMatch(length -> length == 0);
  }

  /** Deletes the file. Idempotent. */
  @Override
  public void close() throws IOException {
    Files.deleteIfExists(data);
  }
}
