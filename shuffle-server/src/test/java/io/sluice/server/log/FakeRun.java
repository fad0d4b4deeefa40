package io.sluice.server.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.channels.FileChannel;

/** A run with its file in an array and a count of its references. Not thread-safe. */
final class FakeRun implements StoredRun {
  final byte[] file;
  int readers;
  boolean discarded;

  FakeRun(byte[] file) {
    this.file = file;
  }

  @Override
  public FileChannel channel() {
    throw new UnsupportedOperationException("a log does not read files");
  }

  @Override
  public void retain() {
    assertThat(discarded && readers == 0).as("retained after it was deleted").isFalse();
    readers++;
  }

  @Override
  public void release() {
    assertThat(readers).as("readers").isPositive();
    readers--;
  }

  @Override
  public void discard() {
    discarded = true;
  }
}
