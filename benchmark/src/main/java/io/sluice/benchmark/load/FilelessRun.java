package io.sluice.benchmark.load;

import io.sluice.server.log.StoredRun;
import java.io.IOException;
import java.nio.channels.FileChannel;

/** A run of which only the log's part is there: what the bench measures is the log. */
final class FilelessRun implements StoredRun {
  @Override
  public FileChannel channel() throws IOException {
    throw new IOException("the bench writes no files");
  }

  @Override
  public void retain() {}

  @Override
  public void release() {}

  @Override
  public void discard() {}
}
