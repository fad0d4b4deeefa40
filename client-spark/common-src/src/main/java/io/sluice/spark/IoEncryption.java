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

/**
 * Spark's I/O encryption for payloads: what {@code spark.io.encryption.enabled} does to local
 * shuffle files, with the same key and the same settings. Servers see neither key nor clear text.
 * Stateless; thread-safe.
 */
public final class IoEncryption implements PayloadTransform {
  private static final int OVERHEAD_BYTES = 64;

  private final SparkConf conf;
  private final byte[] key;

  private IoEncryption(SparkConf conf, byte[] key) {
    this.conf = conf;
    this.key = key;
  }

  /** The application's encryption, or null when it has none. */
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
