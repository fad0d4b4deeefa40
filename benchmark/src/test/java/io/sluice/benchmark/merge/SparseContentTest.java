package io.sluice.benchmark.merge;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

class SparseContentTest {
  @Test
  void returnsAppendedBytesWithAndWithoutZeros() {
    for (int seed = 0; seed < 300; seed++) {
      Random random = new Random(seed);
      SparseContent content = new SparseContent();
      ByteArrayOutputStream model = new ByteArrayOutputStream();
      for (int i = 0; i < 20; i++) {
        if (random.nextInt(4) == 0 && model.size() > 0) {
          int from = random.nextInt(model.size());
          int length = random.nextInt(model.size() - from + 1);
          SparseContent whole = new SparseContent();
          whole.append(ByteBuffer.wrap(model.toByteArray()));
          content.append(whole, from, length);
          model.write(model.toByteArray(), from, length);
        } else {
          byte[] bytes = bytes(random);
          ByteBuffer source = ByteBuffer.wrap(bytes);
          content.append(source);
          assertThat(source.hasRemaining()).isFalse();
          model.writeBytes(bytes);
        }
      }
      byte[] all = model.toByteArray();
      assertThat(content.length()).isEqualTo(all.length);
      for (int i = 0; i < 20; i++) {
        int from = random.nextInt(all.length);
        int length = 1 + random.nextInt(all.length - from);
        ByteBuffer found = ByteBuffer.allocate(length);
        assertThat(content.read(found, from)).isEqualTo(length);
        assertThat(found.array()).isEqualTo(Arrays.copyOfRange(all, from, from + length));
      }
      assertThat(content.read(ByteBuffer.allocate(1), all.length)).isEqualTo(-1);
    }
  }

  /** Sequences of zeros and of random bytes, with lengths around the minimum length of a hole. */
  private static byte[] bytes(Random random) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    int stretches = 1 + random.nextInt(6);
    for (int i = 0; i < stretches; i++) {
      byte[] stretch = new byte[random.nextInt(200)];
      if (random.nextBoolean()) {
        random.nextBytes(stretch);
      }
      bytes.writeBytes(stretch);
    }
    bytes.write(random.nextInt(2));
    return bytes.toByteArray();
  }
}
