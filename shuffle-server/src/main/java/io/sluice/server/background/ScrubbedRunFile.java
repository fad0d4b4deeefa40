package io.sluice.server.background;

import io.sluice.server.disk.RunFile;
import java.io.IOException;
import java.nio.channels.FileChannel;

/** A run file of the server. */
record ScrubbedRunFile(RunFile run) implements ScrubbedRun {
  @Override
  public String file() {
    return run.toString();
  }

  @Override
  public boolean isNeeded() {
    return !run.isDiscarded();
  }

  @Override
  public boolean isDamagedAt(long fileOffset) {
    return run.isDamagedAt(fileOffset);
  }

  @Override
  public FileChannel open() throws IOException {
    if (!run.tryRetain()) {
      return null;
    }
    boolean opened = false;
    try {
      FileChannel channel = run.openOwn();
      opened = true;
      return channel;
    } finally {
      if (!opened) {
        run.release();
      }
    }
  }

  @Override
  public void closed() {
    run.release();
  }
}
