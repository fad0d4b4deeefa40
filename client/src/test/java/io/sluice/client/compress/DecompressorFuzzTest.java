package io.sluice.client.compress;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.luben.zstd.Zstd;
import io.sluice.common.block.BlockCodec;
import io.sluice.common.error.SluiceException;
import io.sluice.common.fuzz.DecoderFuzz;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import net.jpountz.lz4.LZ4Factory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.xerial.snappy.Snappy;

class DecompressorFuzzTest {
  private static final int ROOM = 1 << 20;
  private static final int MARGIN = 64;
  private static final byte[] CONTENT =
      "the same words and the same words again, 0123456789. "
          .repeat(20)
          .getBytes(StandardCharsets.UTF_8);

  private static byte[] compressed(BlockCodec codec) throws Exception {
    return switch (codec) {
      case NONE -> CONTENT;
      case LZ4 -> LZ4Factory.fastestInstance().fastCompressor().compress(CONTENT);
      case ZSTD -> Zstd.compress(CONTENT);
      case SNAPPY -> Snappy.compress(CONTENT);
    };
  }

  @ParameterizedTest
  @EnumSource(BlockCodec.class)
  void aPayloadIsRejectedOrFillsItsRangeExactly(BlockCodec codec) throws Exception {
    byte[] payload = compressed(codec);
    ByteBuffer seed = ByteBuffer.allocate(Integer.BYTES + payload.length);
    seed.putInt(CONTENT.length).put(payload);
    byte[] target = new byte[ROOM + 2 * MARGIN];
    try (BlockDecompressor decompressor = BlockCodecs.decompressor(ROOM)) {
      DecoderFuzz.of(seed.array())
          .refusing(SluiceException.class)
          .run(
              input -> {
                if (input.length < Integer.BYTES) {
                  return;
                }
                ByteBuffer in = ByteBuffer.wrap(input);
                int length = in.getInt();
                Arrays.fill(target, 0, MARGIN, (byte) 0x5a);
                int end = MARGIN + Math.max(0, Math.min(length, ROOM));
                Arrays.fill(target, end, end + MARGIN, (byte) 0x5a);
                try {
                  decompressor.decompress(codec, in, target, MARGIN, length);
                } finally {
                  assertThat(Arrays.copyOf(target, MARGIN)).containsOnly(0x5a);
                  assertThat(Arrays.copyOfRange(target, end, end + MARGIN)).containsOnly(0x5a);
                }
              });
    }
  }

  @Test
  void seedsAreRestored() throws Exception {
    for (BlockCodec codec : BlockCodec.values()) {
      byte[] target = new byte[CONTENT.length];
      try (BlockDecompressor decompressor = BlockCodecs.decompressor(ROOM)) {
        decompressor.decompress(
            codec, ByteBuffer.wrap(compressed(codec)), target, 0, target.length);
      }
      assertThat(target).isEqualTo(CONTENT);
    }
  }
}
