package io.sluice.spark.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.data.Offset.offset;

import io.sluice.client.compress.BlockCodecs;
import io.sluice.client.compress.BlockCompressor;
import io.sluice.common.block.BlockCodec;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.apache.spark.SparkConf;
import org.apache.spark.io.CompressionCodec;
import org.apache.spark.io.CompressionCodec$;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Compares with the built-in streams. Zstd compresses better if it knows the content length, as for
 * a block.
 */
class BuiltInSizesTest {
  private final SparkConf conf = new SparkConf(false);

  private static byte[] content(int length) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; text.length() < length; i++) {
      text.append(Integer.toHexString(i * 0x9E3779B9)).append(" row ");
    }
    return text.substring(0, length).getBytes(StandardCharsets.US_ASCII);
  }

  private int ofSpark(BlockCodec codec, byte[] content) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    CompressionCodec sparks =
        CompressionCodec$.MODULE$.createCodec(conf, codec.name().toLowerCase(Locale.ROOT));
    try (OutputStream stream = sparks.compressedOutputStream(bytes)) {
      stream.write(content);
    }
    return bytes.size();
  }

  private int ofBlock(BlockCodec codec, byte[] content) throws IOException {
    BlockCompressor compressor = BlockCodecs.compressor(codec, 1);
    try {
      byte[] target = new byte[compressor.maxCompressedLength(content.length)];
      int length = compressor.compress(content, 0, content.length, ByteBuffer.wrap(target));
      boolean gained = content.length >= 32 && length < content.length;
      return BuiltInSizes.of(codec, conf)
          .of(
              true,
              gained ? codec : BlockCodec.NONE,
              content.length,
              gained ? length : content.length);
    } finally {
      compressor.close();
    }
  }

  @ParameterizedTest
  @CsvSource({
    "LZ4, 20, 0",
    "LZ4, 200, 0",
    "LZ4, 30000, 0",
    "SNAPPY, 20, 4",
    "SNAPPY, 200, 0",
    "SNAPPY, 30000, 0",
    "ZSTD, 20, 3",
    "ZSTD, 200, 16",
    "ZSTD, 30000, 300",
  })
  void areThoseOfSparksStream(BlockCodec codec, int length, int tolerance) throws IOException {
    byte[] content = content(length);

    assertThat(ofBlock(codec, content)).isCloseTo(ofSpark(codec, content), offset(tolerance));
  }
}
