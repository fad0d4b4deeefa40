package io.sluice.spark;

import io.sluice.client.compress.PayloadTransform;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.security.CryptoStreamUtils;
import scala.Option;
import scala.Tuple2;

/**
 * Applies Spark's I/O encryption ({@code spark.io.encryption.enabled}) to block payloads, with the
 * key and settings that Spark uses for local shuffle files. Servers receive neither the key nor
 * clear text. Stateless; thread-safe.
 */
public final class IoEncryption implements PayloadTransform {
  private static final int OVERHEAD_BYTES = 64;

  /** Prefix of all configuration keys that Spark's encryption reads. */
  private static final String KEY_PREFIX = "spark.io.";

  private final SparkConf conf;
  private final byte[] key;

  /**
   * @param key encryption key of {@code spark.io.encryption.keySizeBits} bits
   */
  IoEncryption(SparkConf conf, byte[] key) {
    // Spark iterates over the whole configuration for each stream, so pass only the relevant keys.
    this.conf = new SparkConf(false);
    for (Tuple2<String, String> entry : conf.getAllWithPrefix(KEY_PREFIX)) {
      this.conf.set(KEY_PREFIX + entry._1(), entry._2());
    }
    this.key = key;
  }

  /** The encryption of the application; null if I/O encryption is off. */
  public static IoEncryption of(SparkEnv env) {
    Option<byte[]> key = env.securityManager().getIOEncryptionKey();
    return key.isEmpty() ? null : new IoEncryption(env.conf(), key.get());
  }

  @Override
  public byte[] encode(byte[] payload, int offset, int length) throws IOException {
    ByteArrayOutputStream encrypted = new ByteArrayOutputStream(length + OVERHEAD_BYTES);
    try (OutputStream stream = CryptoStreamUtils.createCryptoOutputStream(encrypted, conf, key)) {
      stream.write(payload, offset, length);
    }
    return encrypted.toByteArray();
  }

  @Override
  public byte[] decode(byte[] payload, int offset, int length) throws IOException {
    InputStream encrypted = new ByteArrayInputStream(payload, offset, length);
    try (InputStream stream = CryptoStreamUtils.createCryptoInputStream(encrypted, conf, key)) {
      return stream.readAllBytes();
    }
  }
}
