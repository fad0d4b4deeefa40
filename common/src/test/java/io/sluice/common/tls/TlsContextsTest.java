package io.sluice.common.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslProvider;
import io.sluice.common.tls.TlsConfig.ClientCertificates;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.KeyPairGenerator;
import java.security.spec.ECGenParameterSpec;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLException;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Runs with both TLS libraries. */
@ParameterizedClass
@EnumSource(
    value = SslProvider.class,
    names = {"JDK", "OPENSSL"})
class TlsContextsTest {
  @TempDir static Path made;
  @TempDir Path directory;

  private final SslProvider provider;

  TlsContextsTest(SslProvider provider) {
    this.provider = provider;
  }

  @BeforeAll
  static void makeCertificates() throws Exception {
    TestCertificates.write(made, "a", "server.example");
    TestCertificates.write(made, "b", "server.example");
    TestCertificates.write(made, "c", "other.example");
  }

  @BeforeEach
  void copyCertificates() throws Exception {
    for (String name : List.of("a", "b", "c")) {
      copy(made.resolve(name + ".crt"), directory.resolve(name + ".crt"));
      copy(made.resolve(name + ".key"), directory.resolve(name + ".key"));
    }
  }

  private final AtomicLong nanos = new AtomicLong();

  private TlsContexts contexts(String own, String trusted, ClientCertificates callers)
      throws Exception {
    return TlsContexts.of(
        new TlsConfig(
            true,
            Optional.ofNullable(own).map(name -> directory.resolve(name + ".crt")),
            Optional.ofNullable(own).map(name -> directory.resolve(name + ".key")),
            Optional.of(directory.resolve(trusted + ".crt")),
            callers,
            Optional.empty()),
        false,
        nanos::get,
        provider);
  }

  private static SSLEngine engine(SslContext context) {
    return context.newEngine(UnpooledByteBufAllocator.DEFAULT, "server.example", 1);
  }

  /** Performs the handshake of two engines. */
  private static void handshake(SSLEngine client, SSLEngine server) throws SSLException {
    client.beginHandshake();
    server.beginHandshake();
    ByteBuffer toServer = ByteBuffer.allocate(1 << 16);
    ByteBuffer toClient = ByteBuffer.allocate(1 << 16);
    for (int i = 0; i < 100; i++) {
      step(client, toServer, toClient);
      step(server, toClient, toServer);
      if (isDone(client) && isDone(server)) {
        return;
      }
    }
    throw new SSLException("handshake did not complete");
  }

  private static boolean isDone(SSLEngine engine) {
    return engine.getHandshakeStatus() == HandshakeStatus.NOT_HANDSHAKING;
  }

  private static void step(SSLEngine engine, ByteBuffer out, ByteBuffer in) throws SSLException {
    ByteBuffer none = ByteBuffer.allocate(0);
    in.flip();
    for (int i = 0; i < 20; i++) {
      switch (engine.getHandshakeStatus()) {
        case NEED_TASK -> engine.getDelegatedTask().run();
        case NEED_WRAP -> engine.wrap(none, out);
        default -> {
          // BoringSSL continues with buffered data, so it is called without input, too.
          boolean isLast = !in.hasRemaining();
          engine.unwrap(in, ByteBuffer.allocate(1 << 16));
          if (isLast) {
            in.compact();
            return;
          }
        }
      }
    }
    in.compact();
  }

  @Test
  void usesTls13WithATrustedServer() throws Exception {
    SSLEngine client = engine(contexts(null, "a", ClientCertificates.NONE).dataClient());
    handshake(client, engine(contexts("a", "a", ClientCertificates.NONE).dataServer()));
    assertThat(client.getSession().getProtocol()).isEqualTo("TLSv1.3");
  }

  @ParameterizedTest
  @CsvSource({"EC, secp256r1", "EC, secp384r1", "RSA, ", "Ed25519, "})
  void acceptsKeysOfEveryAlgorithm(String algorithm, String group) throws Exception {
    KeyPairGenerator generator = KeyPairGenerator.getInstance(algorithm);
    if (group != null) {
      generator.initialize(new ECGenParameterSpec(group));
    }
    TestCertificates.write(directory, "k", "server.example", generator.generateKeyPair());
    handshake(
        engine(contexts(null, "k", ClientCertificates.NONE).dataClient()),
        engine(contexts("k", "k", ClientCertificates.NONE).dataServer()));
    handshake(
        engine(contexts("k", "k", ClientCertificates.NONE).grpcClient()),
        engine(contexts("k", "k", ClientCertificates.REQUIRED).grpcServer()));
  }

  @Test
  void refusesAnotherAuthorityAndAnotherName() throws Exception {
    assertThatThrownBy(
            () ->
                handshake(
                    engine(contexts(null, "b", ClientCertificates.NONE).dataClient()),
                    engine(contexts("a", "a", ClientCertificates.NONE).dataServer())))
        .isInstanceOf(SSLException.class);
    assertThatThrownBy(
            () ->
                handshake(
                    engine(contexts(null, "c", ClientCertificates.NONE).dataClient()),
                    engine(contexts("c", "c", ClientCertificates.NONE).dataServer())))
        .isInstanceOf(SSLException.class)
        .hasStackTraceContaining("server.example");
  }

  @Test
  void requestsClientCertificatesIfRequired() throws Exception {
    SslContext server = contexts("a", "a", ClientCertificates.REQUIRED).grpcServer();
    SSLEngine known = engine(server);
    handshake(engine(contexts("a", "a", ClientCertificates.NONE).grpcClient()), known);
    assertThat(known.getSession().getPeerPrincipal().getName()).isEqualTo("CN=a");
    assertThatThrownBy(
            () ->
                handshake(
                    engine(contexts(null, "a", ClientCertificates.NONE).grpcClient()),
                    engine(server)))
        .isInstanceOf(SSLException.class);
  }

  @Test
  void aReplacedPairIsUsedFromTheNextHandshake() throws Exception {
    SslContext server = contexts("a", "a", ClientCertificates.NONE).dataServer();
    SslContext client = contexts(null, "b", ClientCertificates.NONE).dataClient();

    copy("b.crt", "a.crt");
    nanos.addAndGet(TimeUnit.SECONDS.toNanos(3));
    assertThatThrownBy(() -> handshake(engine(client), engine(server)))
        .as("an incomplete pair is not used")
        .isInstanceOf(SSLException.class);

    copy("b.key", "a.key");
    nanos.addAndGet(TimeUnit.SECONDS.toNanos(3));
    handshake(engine(client), engine(server));
  }

  private void copy(String from, String to) throws IOException {
    copy(directory.resolve(from), directory.resolve(to));
  }

  private static void copy(Path from, Path to) throws IOException {
    Files.copy(from, to, StandardCopyOption.REPLACE_EXISTING);
  }

  @Test
  void namesTheInvalidFile() throws Exception {
    copy("b.key", "a.key");
    assertThatThrownBy(() -> contexts("a", "a", ClientCertificates.NONE))
        .hasMessageStartingWith("rss.security.tls.key.file: ")
        .hasMessageContaining("is not the key of the certificate");
    Files.writeString(directory.resolve("a.key"), "hunter2");
    assertThatThrownBy(() -> contexts("a", "a", ClientCertificates.NONE))
        .hasMessageContaining("BEGIN PRIVATE KEY")
        .message()
        .doesNotContain("hunter2");
    assertThatThrownBy(
            () ->
                TlsContexts.of(
                    new TlsConfig(
                        true,
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty(),
                        ClientCertificates.NONE,
                        Optional.empty()),
                    true,
                    nanos::get))
        .hasMessageContaining("set rss.security.tls.certificate.file");
  }
}
