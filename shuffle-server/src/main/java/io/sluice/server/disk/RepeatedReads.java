package io.sluice.server.disk;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Repeats failed reads of run files, on a disk that has answered a probe. A run that is still
 * unreadable is declared lost; other runs are not affected. The file is opened again, so that the
 * state of an open channel does not matter. Waits for the disk.
 */
final class RepeatedReads {
  private static final Logger LOG = LoggerFactory.getLogger(RepeatedReads.class);

  private static final int BUFFER_BYTES = 64 << 10;

  /** Maximum bytes that are read again, from the start of the failed range, to bound the time. */
  private static final int MAX_BYTES = 16 << 20;

  private final Disk disk;
  private final RunFiles files;
  private final Consumer<RunFile> loss;

  /**
   * @param loss declares a run lost
   */
  RepeatedReads(Disk disk, RunFiles files, Consumer<RunFile> loss) {
    this.disk = disk;
    this.files = files;
    this.loss = loss;
  }

  void repeat(FailedRead failed) {
    for (RunFile run : files.on(disk)) {
      if (run.name().equals(failed.file()) && run.tryRetain()) {
        try {
          repeat(run, failed);
        } finally {
          run.release();
        }
      }
    }
  }

  private void repeat(RunFile run, FailedRead failed) {
    try {
      read(run, failed.position(), Math.min(MAX_BYTES, failed.length()));
    } catch (IOException e) {
      if (DiskFault.of(e) != DiskFault.UNRELATED && run.disk() == disk) {
        LOG.warn(
            "run is unreadable although its disk answers probes file={} problem={}",
            run,
            e.toString());
        loss.accept(run);
      }
    }
  }

  private static void read(RunFile run, long position, int length) throws IOException {
    ByteBuffer buffer = ByteBuffer.allocate(BUFFER_BYTES);
    try (FileChannel channel = run.openOwn()) {
      long end = position + length;
      for (long at = position; at < end; ) {
        buffer.clear().limit((int) Math.min(buffer.capacity(), end - at));
        int count = channel.read(buffer, at);
        if (count < 0) {
          throw new EOFException("file ends at " + at + ", expected " + (end - at) + " bytes more");
        }
        at += count;
      }
    }
  }
}
