package io.sluice.benchmark.load;

import io.sluice.server.log.StoredRun;
import java.io.IOException;
import java.nio.channels.FileChannel;

/** A run without a file, because the benchmark measures only the log. */
final class FilelessRun implements StoredRun {
  @Override
  public FileChannel channel() throws IOException {
    throw new IOException("this benchmark writes no run files");
  }

  @Override
  public void retain() {}

  @Override
  public void release() {}

  @Override
  public void discard() {}
}
