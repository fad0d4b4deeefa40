package io.sluice.client.compress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.block.BlockCodec;
import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class BlockCodecsTest {
  private static final int LIMIT = 1 << 20;

  private final BlockDecompressor decompressor = BlockCodecs.decompressor(LIMIT);

  private static byte[] content(Random random, int length) {
    byte[] content = new byte[length];
    for (int i = 0; i < length; i++) {
      content[i] = (byte) random.nextInt(1 + random.nextInt(20));
    }
    return content;
  }

  private static ByteBuffer compress(
      BlockCodec codec, byte[] content, int offset, int length, boolean direct)
      throws SluiceException {
    try (BlockCompressor compressor = BlockCodecs.compressor(codec, 3)) {
      assertThat(compressor.codec()).isEqualTo(codec);
      int room = 5 + compressor.maxCompressedLength(length);
      ByteBuffer target = direct ? ByteBuffer.allocateDirect(room) : ByteBuffer.allocate(room);
      target.position(5);
      int compressed = compressor.compress(content, offset, length, target);
      assertThat(target.position()).isEqualTo(5);
      return target.limit(5 + compressed);
    }
  }

  @ParameterizedTest
  @EnumSource(BlockCodec.class)
  void restoresThePayload(BlockCodec codec) throws SluiceException {
    Random random = new Random(1);
    for (int round = 0; round < 200; round++) {
      byte[] content = content(random, 10 + random.nextInt(20_000));
      int offset = random.nextInt(8);
      int length = 1 + random.nextInt(content.length - offset);
      ByteBuffer payload = compress(codec, content, offset, length, round % 2 == 0);
      byte[] target = new byte[length + 6];

      decompressor.decompress(codec, payload, target, 3, length);

      assertThat(Arrays.copyOfRange(target, 3, 3 + length))
          .isEqualTo(Arrays.copyOfRange(content, offset, offset + length));
      assertThat(new byte[] {target[0], target[2], target[length + 3]}).containsExactly(0, 0, 0);
    }
  }

  @ParameterizedTest
  @EnumSource(BlockCodec.class)
  void rejectsAFalseLength(BlockCodec codec) throws SluiceException {
    byte[] content = content(new Random(2), 1000);
    for (int lie : new int[] {1, 999, 1001, 5000, LIMIT}) {
      ByteBuffer payload = compress(codec, content, 0, 1000, true);
      assertThatThrownBy(() -> decompressor.decompress(codec, payload, new byte[lie], 0, lie))
          .as("%s with a claimed length of %d bytes", codec, lie)
          .isInstanceOfSatisfying(
              SluiceException.class, e -> assertThat(e.code()).isEqualTo(StatusCode.BLOCK_CORRUPT));
    }
  }

  @ParameterizedTest
  @EnumSource(BlockCodec.class)
  void rejectsALengthAboveTheLimitBeforeAllocating(BlockCodec codec) {
    assertThatThrownBy(() -> decompressor.checkLength(codec, LIMIT + 1, LIMIT + 1))
        .hasMessageContaining("limit=" + LIMIT);
  }

  @ParameterizedTest
  @EnumSource(
      value = BlockCodec.class,
      names = {"LZ4", "ZSTD", "SNAPPY"})
  void survivesEveryKindOfDamage(BlockCodec codec) throws SluiceException {
    Random random = new Random(3);
    byte[] content = content(random, 3000);
    ByteBuffer sound = compress(codec, content, 0, 3000, false);
    byte[] payload = new byte[sound.remaining()];
    sound.get(payload);
    int refused = 0;
    for (int round = 0; round < 2000; round++) {
      byte[] damaged = Arrays.copyOf(payload, payload.length - random.nextInt(2) * 7);
      damaged[random.nextInt(damaged.length)] = (byte) random.nextInt();
      byte[] target = new byte[3000];
      try {
        decompressor.decompress(codec, ByteBuffer.wrap(damaged), target, 0, 3000);
      } catch (SluiceException e) {
        assertThat(e.code()).isEqualTo(StatusCode.BLOCK_CORRUPT);
        refused++;
      }
    }
    assertThat(refused).isPositive();
  }
}
