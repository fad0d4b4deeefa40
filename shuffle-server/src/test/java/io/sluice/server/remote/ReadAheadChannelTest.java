package io.sluice.server.remote;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.server.disk.RestrictedFileChannel;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ReadAheadChannelTest {
  private int requests;
  private boolean closed;

  private ReadAheadChannel channel(byte[] contents) {
    return new ReadAheadChannel(
        new RestrictedFileChannel("test") {
          @Override
          public int read(ByteBuffer target, long position) {
            requests++;
            int count = (int) Math.min(target.remaining(), contents.length - position);
            target.put(contents, (int) position, count);
            return count;
          }

          @Override
          public long size() {
            return contents.length;
          }

          @Override
          protected void implCloseChannel() {
            closed = true;
          }
        });
  }

  private static byte[] contents(int length) {
    byte[] contents = new byte[length];
    new Random(length).nextBytes(contents);
    return contents;
  }

  private static byte[] read(ReadAheadChannel channel, long position, int length)
      throws IOException {
    ByteBuffer target = ByteBuffer.allocate(length);
    while (target.hasRemaining()) {
      assertThat(channel.read(target, position + target.position())).isPositive();
    }
    return target.array();
  }

  @Test
  void readsHeaderAndFooterWithFewRequests() throws IOException {
    int length = 10 << 20;
    byte[] contents = contents(length);
    try (ReadAheadChannel channel = channel(contents)) {
      assertThat(read(channel, 0, 48)).isEqualTo(Arrays.copyOf(contents, 48));
      assertThat(read(channel, 40, 100)).isEqualTo(Arrays.copyOfRange(contents, 40, 140));
      assertThat(requests).isEqualTo(1);
      for (int at = length - 64; at > length - (1 << 20); at -= 1000) {
        assertThat(read(channel, at, 64)).isEqualTo(Arrays.copyOfRange(contents, at, at + 64));
      }
      assertThat(requests).isEqualTo(2);
      int middle = length / 2;
      for (int at = middle; at < middle + (3 << 20); at += 10_000) {
        assertThat(read(channel, at, 24)).isEqualTo(Arrays.copyOfRange(contents, at, at + 24));
      }
      assertThat(requests).isLessThanOrEqualTo(6);
      assertThat(channel.read(ByteBuffer.allocate(1), length)).isEqualTo(-1);
    }
    assertThat(closed).isTrue();
  }

  @Test
  void readsEveryRangeOfASmallFile() throws IOException {
    byte[] contents = contents(200);
    try (ReadAheadChannel channel = channel(contents)) {
      for (int from = 0; from < contents.length; from++) {
        for (int to = from + 1; to <= contents.length; to++) {
          assertThat(read(channel, from, to - from))
              .isEqualTo(Arrays.copyOfRange(contents, from, to));
        }
      }
      assertThat(requests).isEqualTo(1);
    }
  }
}
