package io.sluice.spark.local;

import io.sluice.client.local.PartitionLengths;
import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Index of one of Spark's map output files: partitions + 1 big-endian offsets of 8 bytes. The first
 * is 0; each further offset is the end of one partition and the beginning of the next.
 *
 * @param path {@code shuffle_S_M_0.index}
 */
public record IndexFile(Path path, int partitions) implements PartitionLengths {
  @Override
  public long[] read() throws IOException {
    ByteBuffer offsets = ByteBuffer.wrap(Files.readAllBytes(path));
    long[] lengths = new long[partitions];
    try {
      long begin = offsets.getLong();
      if (begin != 0) {
        throw wrong("the first partition begins at " + begin + ", expected 0");
      }
      for (int i = 0; i < partitions; i++) {
        long end = offsets.getLong();
        if (end < begin) {
          throw wrong("partition " + i + " ends at " + end + ", before its beginning " + begin);
        }
        lengths[i] = end - begin;
        begin = end;
      }
    } catch (BufferUnderflowException e) {
      throw wrong("too short for " + partitions + " partitions: " + offsets.limit() + " bytes");
    }
    if (offsets.hasRemaining()) {
      throw wrong("too long for " + partitions + " partitions: " + offsets.limit() + " bytes");
    }
    return lengths;
  }

  private IOException wrong(String what) {
    return new IOException("invalid index of map output: " + what + " file=" + path);
  }
}
