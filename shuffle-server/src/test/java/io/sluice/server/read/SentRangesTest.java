package io.sluice.server.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.server.log.LogPiece;
import io.sluice.server.log.StoredRun;
import java.nio.channels.FileChannel;
import java.util.BitSet;
import java.util.Random;
import org.junit.jupiter.api.Test;

class SentRangesTest {
  private static final int LENGTH = 1000;

  private final SentRanges sent = new SentRanges();

  @Test
  void extendsAPieceByAdjacentPiecesOfItsFile() {
    StoredRun run = new FakeRun();
    assertThat(widened(run, 100, 50)).isEqualTo("100..150");
    assertThat(widened(new FakeRun(), 150, 50)).isEqualTo("150..200");
    assertThat(widened(run, 200, 50)).isEqualTo("200..250");
    assertThat(widened(run, 150, 50)).isEqualTo("100..250");
    assertThat(widened(run, 100, 150)).isEqualTo("100..250");
  }

  @Test
  void limitsTheExtension() {
    StoredRun run = new FakeRun();
    for (int i = 0; i < 12; i++) {
      widened(run, i << 20, 1 << 20);
    }
    assertThat(widened(run, 12 << 20, 1 << 20)).isEqualTo((4 << 20) + ".." + (13 << 20));
  }

  @Test
  void agreesWithASetOfBytes() {
    for (int seed = 0; seed < 50; seed++) {
      Random random = new Random(seed);
      StoredRun run = new FakeRun();
      BitSet model = new BitSet();
      for (int i = 0; i < 40; i++) {
        int position = random.nextInt(LENGTH);
        int length = 1 + random.nextInt(40);
        model.set(position, position + length);
        String expected =
            (model.previousClearBit(position) + 1) + ".." + model.nextClearBit(position);
        assertThat(widened(run, position, length))
            .as("seed %s step %s", seed, i)
            .isEqualTo(expected);
      }
    }
  }

  private String widened(StoredRun run, long position, int length) {
    LogPiece.InFile wide = sent.widened(new LogPiece.InFile(run, position, length));
    assertThat(wide.run()).isSameAs(run);
    return wide.position() + ".." + (wide.position() + wide.length());
  }

  private static final class FakeRun implements StoredRun {
    @Override
    public void retain() {}

    @Override
    public void release() {}

    @Override
    public void discard() {}

    @Override
    public FileChannel channel() {
      throw new UnsupportedOperationException("not read in this test");
    }
  }
}
