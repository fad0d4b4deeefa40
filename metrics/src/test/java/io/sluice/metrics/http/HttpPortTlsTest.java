package io.sluice.metrics.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.net.AcceptLimit;
import io.sluice.common.net.PeerConnections;
import io.sluice.common.net.RefusalReply;
import io.sluice.common.tls.TestCertificates;
import io.sluice.common.tls.TestTls;
import io.sluice.common.tls.TlsConfig;
import io.sluice.common.tls.TlsConfig.ClientCertificates;
import io.sluice.common.tls.TlsContexts;
import io.sluice.metrics.http.HttpPeer.Answer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.cert.X509Certificate;
import java.time.Clock;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class HttpPortTlsTest {
  private static final int LONG_MS = 30_000;

  @TempDir static Path made;
  @TempDir Path directory;

  private final AtomicLong nanos = new AtomicLong();
  private final Set<String> keyReaders = ConcurrentHashMap.newKeySet();
  private final PeerConnections connections =
      new PeerConnections(16, 16, "rss.max", "rss.peer.max");
  private HttpPort port;

  @BeforeAll
  static void makeCertificates() throws Exception {
    for (String name : new String[] {"before", "after", "ops", "eve"}) {
      TestCertificates.write(made, name, "127.0.0.1");
    }
  }

  @BeforeEach
  void start() throws Exception {
    serverHas("before");
    Files.copy(made.resolve("ops.crt"), directory.resolve("trust"));
    port = start(LONG_MS);
  }

  private HttpPort start(int requestMs) throws IOException {
    TlsContexts tls =
        TlsContexts.of(
                new TlsConfig(
                    true,
                    Optional.of(directory.resolve("crt")),
                    Optional.of(directory.resolve("key")),
                    Optional.of(directory.resolve("trust")),
                    ClientCertificates.REQUIRED,
                    Optional.empty()),
                true,
                this::readKeys)
            .orElseThrow();
    HttpPort made =
        new HttpPort(
            "tls-http",
            Optional.of(tls.httpServer(true)),
            new AcceptLimit(connections, RefusalReply.NONE, (peer, reason) -> {}),
            new HttpTimeouts(requestMs, LONG_MS, LONG_MS, LONG_MS, LONG_MS),
            Clock.systemUTC(),
            call -> CompletableFuture.completedStage(HttpAnswer.text(200, caller(call))));
    made.start(new InetSocketAddress("127.0.0.1", 0));
    return made;
  }

  /** Called to read the keys in each handshake. */
  private long readKeys() {
    keyReaders.add(Thread.currentThread().getName());
    return nanos.get();
  }

  @AfterEach
  void stop() {
    port.close();
  }

  private void serverHas(String name) throws IOException {
    for (String kind : new String[] {"crt", "key"}) {
      Files.copy(
          made.resolve(name + "." + kind),
          directory.resolve(kind),
          StandardCopyOption.REPLACE_EXISTING);
    }
  }

  private static String caller(HttpCall call) {
    try {
      return ((X509Certificate) call.session().getPeerCertificates()[0])
          .getSubjectX500Principal()
          .getName();
    } catch (SSLPeerUnverifiedException e) {
      return "anonymous";
    }
  }

  /**
   * @param own name of the client's certificate; null: none
   * @param trusted name of the server's certificate
   */
  private SSLSocket socket(String own, String trusted) throws Exception {
    TlsContexts tls = TestTls.caller(made, trusted, Optional.ofNullable(own));
    return (SSLSocket) tls.https().getSocketFactory().createSocket("127.0.0.1", port.port());
  }

  private Answer request(String own, String trusted) throws Exception {
    try (HttpPeer peer = new HttpPeer(socket(own, trusted))) {
      return peer.get("/").answer();
    }
  }

  @Test
  void handshakesDoNotBlockTheEventLoop() throws Exception {
    keyReaders.clear();

    assertThat(request(null, "before").body()).isEqualTo("anonymous");

    assertThat(keyReaders).isNotEmpty().allMatch(name -> name.matches("tls-http-\\d+"));
  }

  @Test
  void identifiesClientsByTrustedCertificates() throws Exception {
    assertThat(request("ops", "before").body()).isEqualTo("CN=ops");
    assertThat(request(null, "before").body()).isEqualTo("anonymous");
  }

  @Test
  void refusesACertificateThatIsNotTrusted() throws Exception {
    assertThatThrownBy(() -> request("eve", "before")).isInstanceOf(IOException.class);
    assertThat(request("ops", "before").status()).isEqualTo(200);
  }

  @Test
  void usesTheCurrentKey() throws Exception {
    try (HttpPeer earlier = new HttpPeer(socket(null, "before"))) {
      assertThat(earlier.get("/").answer().status()).isEqualTo(200);
      assertThatThrownBy(() -> request(null, "after")).isInstanceOf(IOException.class);

      serverHas("after");
      nanos.addAndGet(3600L * 1_000_000_000);

      assertThat(request(null, "after").status()).isEqualTo(200);
      assertThatThrownBy(() -> request(null, "before")).isInstanceOf(IOException.class);
      assertThat(earlier.get("/").answer().status()).isEqualTo(200);
    }
  }

  @Test
  void acceptsTls13Only() throws Exception {
    try (SSLSocket old = socket(null, "before")) {
      old.setEnabledProtocols(new String[] {"TLSv1.2"});
      assertThatThrownBy(old::startHandshake).isInstanceOf(IOException.class);
    }
    try (HttpPeer clear = HttpPeer.from("127.0.0.1", port.port())) {
      clear.get("/");
      assertThatThrownBy(clear::answer).isInstanceOf(IOException.class);
    }
  }

  @Test
  void aRefusalIsReadableWhileMoreIsSent() throws Exception {
    try (HttpPeer peer = new HttpPeer(socket(null, "before"))) {
      peer.sendUntilClosed("GET / HTTP/1.1\r\n" + "A: bcdefghijklmnopqrst\r\n".repeat(100_000));
      assertThat(peer.answer().status()).isEqualTo(431);
    }
  }

  @Test
  void closesAConnectionWhoseHandshakeDoesNotEnd() throws Exception {
    port.close();
    port = start(200);
    try (HttpPeer peer = HttpPeer.from("127.0.0.1", port.port())) {
      // Header of a handshake record of 256 bytes.
      assertThat(peer.send("\u0016\u0003\u0001\u0001\u0000").isClosedWhileSendingSlowly('\u0001'))
          .isTrue();
    }
  }
}
