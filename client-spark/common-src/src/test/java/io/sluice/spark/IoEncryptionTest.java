package io.sluice.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.apache.spark.SparkConf;
import org.apache.spark.security.CryptoStreamUtils;
import org.junit.jupiter.api.Test;

class IoEncryptionTest {
  private final SparkConf conf = new SparkConf(false).set("spark.io.encryption.keySizeBits", "256");
  private final byte[] clear = "the same clear text, ".repeat(50).getBytes(StandardCharsets.UTF_8);

  @Test
  void decodesWhatItEncoded() throws IOException {
    IoEncryption encryption = new IoEncryption(conf, CryptoStreamUtils.createKey(conf));

    byte[] encoded = encryption.encode(clear, 3, clear.length - 7);
    byte[] padded = new byte[encoded.length + 10];
    System.arraycopy(encoded, 0, padded, 4, encoded.length);

    assertThat(encryption.decode(padded, 4, encoded.length))
        .isEqualTo(Arrays.copyOfRange(clear, 3, clear.length - 4));
  }

  @Test
  void hidesTheTextAndWhetherTwoTextsAreEqual() throws IOException {
    IoEncryption encryption = new IoEncryption(conf, CryptoStreamUtils.createKey(conf));

    byte[] once = encryption.encode(clear, 0, clear.length);
    byte[] again = encryption.encode(clear, 0, clear.length);

    assertThat(new String(once, StandardCharsets.ISO_8859_1)).doesNotContain("clear");
    assertThat(once).isNotEqualTo(again);
  }

  @Test
  void anotherKeyDecodesToOtherBytes() throws IOException {
    IoEncryption encryption = new IoEncryption(conf, CryptoStreamUtils.createKey(conf));
    IoEncryption other = new IoEncryption(conf, CryptoStreamUtils.createKey(conf));

    byte[] encoded = encryption.encode(clear, 0, clear.length);

    assertThat(other.decode(encoded, 0, encoded.length)).isNotEqualTo(clear);
  }
}
