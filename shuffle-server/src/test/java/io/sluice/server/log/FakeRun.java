package io.sluice.server.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.channels.FileChannel;

/** A run whose file is an array, and which knows who refers to it. Not thread-safe. */
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
    assertThat(discarded && readers == 0).as("retained after it was gone").isFalse();
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
