package io.sluice.it.hostile;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.client.read.ShuffleRead;
import io.sluice.it.hostile.FramePeer.Frame;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** Blocks with false headers, which servers store and serve unchanged. */
final class BlockAttacks {
  private static final int NONE = 0;
  private static final int LZ4 = 1;
  private static final int ZSTD = 2;
  private static final int SNAPPY = 3;

  /** A Zstandard frame with a declared content size of 2^62 bytes. */
  private static final byte[] ZSTD_BOMB = {
    0x28, (byte) 0xb5, 0x2f, (byte) 0xfd, (byte) 0xe0, 0, 0, 0, 0, 0, 0, 0, 0x40, 1, 0, 0
  };

  private BlockAttacks() {}

  /** Blocks with a declared size much larger than their content. Their readers must fail. */
  static AutoCloseable lyingLengths(Target target) throws Exception {
    OpenResources open = new OpenResources();
    try {
      Mallory mallory = open.add(Mallory.join(target, 5, Map.of()));
      List<byte[]> blocks =
          List.of(
              Frames.block(0, NONE, Integer.MAX_VALUE, new byte[10]),
              Frames.block(1, LZ4, Integer.MAX_VALUE, new byte[10]),
              Frames.block(2, ZSTD, Integer.MAX_VALUE, ZSTD_BOMB),
              Frames.block(3, SNAPPY, Integer.MAX_VALUE, new byte[] {-1, -1, -1, -1, 7, 0}),
              Frames.block(4, ZSTD, 100, ZSTD_BOMB));
      try (FramePeer peer = FramePeer.greeted(target, mallory.credential())) {
        for (byte[] block : blocks) {
          peer.send(Frames.of(Frames.PUSH, 3, mallory.push(), block.length), block);
          Frame reply = peer.receive();
          assertThat(reply).isNotNull();
          assertThat(reply.type())
              .as("reply to a block %s", reply.status())
              .isEqualTo(Frames.PUSH_ACK);
        }
        // A block whose declared length exceeds its frame, and one with an extra byte.
        byte[] whole = blocks.get(4);
        byte[] more = Arrays.copyOf(whole, whole.length + 1);
        byte[] less = Arrays.copyOf(whole, whole.length - 1);
        for (byte[] wrong : List.of(more, less)) {
          peer.send(Frames.of(Frames.PUSH, 4, mallory.push(), wrong.length), wrong);
          Frame reply = peer.receive();
          assertThat(reply).isNotNull();
          assertThat(reply.type())
              .as("reply to a body without valid blocks")
              .isEqualTo(Frames.ERROR);
        }
      }
      for (int partition = 0; partition < blocks.size(); partition++) {
        assertFails(mallory, partition);
      }
      return open;
    } catch (Exception | AssertionError e) {
      open.close();
      throw e;
    }
  }

  private static void assertFails(Mallory mallory, int partition) {
    try (ShuffleRead read = mallory.beginRead(partition)) {
      throw new AssertionError("partition " + partition + " was read: " + read);
    } catch (IOException refused) {
      // Like any damaged block: the task fails, not its process.
    }
  }
}
