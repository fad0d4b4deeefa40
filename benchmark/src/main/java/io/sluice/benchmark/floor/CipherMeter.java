package io.sluice.benchmark.floor;

import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.ssl.SslContext;
import io.sluice.common.tls.CertificateAuthority;
import io.sluice.common.tls.CertificateAuthority.Subject;
import io.sluice.common.tls.CertificateAuthority.Validity;
import io.sluice.common.tls.PemFiles;
import io.sluice.common.tls.TlsConfig;
import io.sluice.common.tls.TlsContexts;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLException;

/**
 * CPU time of encrypting and decrypting TLS records with the library and the cipher of servers,
 * without sockets. Used by one thread.
 */
final class CipherMeter {
  private static final String CERTIFICATE = "-----BEGIN CERTIFICATE";
  private static final int RECORD = 16 << 10;
  private static final int BATCH = 64;
  private static final int RECORD_OVERHEAD = 256;

  /** Engines refuse to write a record unless there is room for the longest one. */
  private static final int LONGEST_RECORD = 64 << 10;

  private static final int BUFFER = BATCH * (RECORD + RECORD_OVERHEAD) + LONGEST_RECORD;
  private static final double NANOS_PER_SECOND = 1e9;
  private static final int MAX_HANDSHAKE_STEPS = 100;
  private static final ByteBuffer NOTHING = ByteBuffer.allocateDirect(0).asReadOnlyBuffer();

  private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
  private final SSLEngine server;
  private final SSLEngine client;
  private final ByteBuffer plain = ByteBuffer.allocateDirect(RECORD);
  private final ByteBuffer encrypted = ByteBuffer.allocateDirect(BUFFER);
  private final ByteBuffer decrypted = ByteBuffer.allocateDirect(BUFFER);

  private CipherMeter(SSLEngine server, SSLEngine client) {
    this.server = server;
    this.client = client;
    byte[] random = new byte[RECORD];
    RandomGenerator.of("L64X128MixRandom").nextBytes(random);
    plain.put(random);
  }

  /**
   * Cost in CPU seconds.
   *
   * @param encrypt of a server that sends the bytes
   * @param decrypt of a server that receives the bytes
   */
  record Cost(double encrypt, double decrypt) {}

  /**
   * Performs a handshake.
   *
   * @param directory directory for a certificate, accessible only to its owner
   */
  static CipherMeter create(Path directory) throws IOException, InterruptedException {
    Validity valid = Validity.of(Clock.systemUTC(), Duration.ofDays(2));
    CertificateAuthority authority =
        CertificateAuthority.create("cipher", valid, new SecureRandom());
    String issued = authority.issue(new Subject("", "cipher", List.of("127.0.0.1")), valid);
    int certificate = issued.indexOf(CERTIFICATE);
    Path key = directory.resolve("cipher.key");
    Path chain = directory.resolve("cipher.crt");
    Path trust = directory.resolve("authority.crt");
    PemFiles.writeSecret(key, issued.substring(0, certificate));
    PemFiles.writeSecret(chain, issued.substring(certificate));
    PemFiles.writeSecret(trust, authority.certificatePem());
    TlsContexts contexts =
        TlsContexts.of(
                new TlsConfig(
                    true,
                    Optional.of(chain),
                    Optional.of(key),
                    Optional.of(trust),
                    TlsConfig.ClientCertificates.NONE,
                    Optional.empty()),
                true,
                System::nanoTime)
            .orElseThrow();
    CipherMeter meter =
        new CipherMeter(engine(contexts.dataServer()), engine(contexts.dataClient()));
    meter.handshake();
    return meter;
  }

  private static SSLEngine engine(SslContext context) {
    return context.newEngine(ByteBufAllocator.DEFAULT, "127.0.0.1", 1);
  }

  /** Cipher suite of both engines. */
  String cipherSuite() {
    return server.getSession().getCipherSuite();
  }

  /** Encrypts and decrypts a number of bytes, rounded up to whole batches of records. */
  Cost measure(long bytes) throws SSLException {
    long batchBytes = (long) BATCH * RECORD;
    long batches = (bytes + batchBytes - 1) / batchBytes;
    long encrypt = 0;
    long decrypt = 0;
    for (long i = 0; i < batches; i++) {
      long start = threads.getCurrentThreadCpuTime();
      seal(server);
      encrypt += threads.getCurrentThreadCpuTime() - start;
      open(client);
      seal(client);
      start = threads.getCurrentThreadCpuTime();
      open(server);
      decrypt += threads.getCurrentThreadCpuTime() - start;
    }
    return new Cost(encrypt / NANOS_PER_SECOND, decrypt / NANOS_PER_SECOND);
  }

  /** Encrypts a batch. */
  private void seal(SSLEngine engine) throws SSLException {
    encrypted.clear();
    for (int i = 0; i < BATCH; i++) {
      plain.rewind();
      while (plain.hasRemaining()) {
        check(engine.wrap(plain, encrypted));
      }
    }
    encrypted.flip();
  }

  /** Decrypts the batch. */
  private void open(SSLEngine engine) throws SSLException {
    long bytes = 0;
    while (encrypted.hasRemaining()) {
      check(engine.unwrap(encrypted, decrypted.clear()));
      bytes += decrypted.position();
    }
    if (bytes != (long) BATCH * RECORD) {
      throw new SSLException("decrypted " + bytes + " bytes, expected " + BATCH * RECORD);
    }
  }

  private static void check(SSLEngineResult result) throws SSLException {
    if (result.getStatus() != SSLEngineResult.Status.OK) {
      throw new SSLException("TLS engine: unexpected status " + result.getStatus());
    }
  }

  private void handshake() throws SSLException {
    client.beginHandshake();
    server.beginHandshake();
    ByteBuffer toServer = ByteBuffer.allocateDirect(BUFFER);
    ByteBuffer toClient = ByteBuffer.allocateDirect(BUFFER);
    for (int i = 0; i < MAX_HANDSHAKE_STEPS; i++) {
      step(client, toClient, toServer);
      step(server, toServer, toClient);
      if (isDone(client)
          && isDone(server)
          && toServer.position() == 0
          && toClient.position() == 0) {
        return;
      }
    }
    throw new SSLException("handshake did not complete");
  }

  private static boolean isDone(SSLEngine engine) {
    return engine.getHandshakeStatus() == SSLEngineResult.HandshakeStatus.NOT_HANDSHAKING;
  }

  /** Reads {@code in} and writes {@code out}, both between reads and writes in write mode. */
  private void step(SSLEngine engine, ByteBuffer in, ByteBuffer out) throws SSLException {
    in.flip();
    boolean isIdle = false;
    for (int i = 0; i < MAX_HANDSHAKE_STEPS && !isIdle; i++) {
      switch (engine.getHandshakeStatus()) {
        case NEED_TASK -> engine.getDelegatedTask().run();
        case NEED_WRAP -> engine.wrap(NOTHING.duplicate(), out);
        case NEED_UNWRAP, NEED_UNWRAP_AGAIN, NOT_HANDSHAKING, FINISHED -> {
          // BoringSSL continues with buffered data, so it is called without input, too.
          isIdle = !in.hasRemaining();
          engine.unwrap(in, decrypted.clear());
        }
      }
    }
    in.compact();
  }
}
