package io.sluice.metrics.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.net.AcceptLimit;
import io.sluice.common.net.PeerConnections;
import io.sluice.common.net.RefusalReply;
import io.sluice.metrics.http.HttpPeer.Answer;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class HttpPortTest {
  private static final int LONG_MS = 30_000;
  private static final int SHORT_MS = 200;
  private static final HttpTimeouts LONG =
      new HttpTimeouts(LONG_MS, LONG_MS, LONG_MS, LONG_MS, LONG_MS);
  private static final InstantSource CLOCK =
      Clock.fixed(Instant.parse("2026-01-02T03:04:05Z"), ZoneOffset.UTC);

  private final Deque<AutoCloseable> open = new ArrayDeque<>();
  private final Queue<String> refusals = new ConcurrentLinkedQueue<>();
  private final CompletableFuture<HttpAnswer> later = new CompletableFuture<>();
  private PeerConnections connections = new PeerConnections(8, 3, "rss.max", "rss.peer.max");
  private HttpPort port;

  @AfterEach
  void closeAll() throws Exception {
    for (AutoCloseable one : open) {
      one.close();
    }
  }

  private CompletionStage<HttpAnswer> page(HttpCall call) {
    return switch (call.path()) {
      case "/later" -> later;
      case "/bug" -> throw new IllegalStateException("test failure");
      case "/large" ->
          CompletableFuture.completedStage(
              HttpAnswer.of(200, "application/octet-stream", new byte[32 << 20]));
      case "/text" -> CompletableFuture.completedStage(HttpAnswer.text(200, "a".repeat(5000)));
      case "/unchanged" ->
          CompletableFuture.completedStage(
              new HttpAnswer(304, new byte[0], Map.of("ETag", "\"1\"")));
      default ->
          CompletableFuture.completedStage(
              call.bodyTooLong()
                  ? HttpAnswer.text(413, "too long")
                  : HttpAnswer.text(
                      200,
                      call.method()
                          + " "
                          + call.path()
                          + "?"
                          + call.query()
                          + " "
                          + new String(call.body(), StandardCharsets.UTF_8)));
    };
  }

  private void start(HttpTimeouts timeouts) throws IOException {
    port =
        new HttpPort(
            "test-http",
            Optional.empty(),
            new AcceptLimit(connections, RefusalReply.HTTP, (peer, reason) -> refusals.add(reason)),
            timeouts,
            CLOCK,
            this::page);
    open.push(port);
    port.start(new InetSocketAddress("127.0.0.1", 0));
  }

  private HttpPeer peer() throws IOException {
    return peer("127.0.0.1");
  }

  private HttpPeer peer(String address) throws IOException {
    HttpPeer peer = HttpPeer.from(address, port.port());
    open.push(peer);
    return peer;
  }

  private static void await(BooleanSupplier condition) {
    long until = System.nanoTime() + LONG_MS * 1_000_000L;
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).as("deadline").isLessThan(until);
      LockSupport.parkNanos(1_000_000);
    }
  }

  @Test
  void limitsTheConnectionsOfOneAddress() throws Exception {
    start(LONG);
    HttpPeer first = peer("127.0.0.2");
    peer("127.0.0.2");
    peer("127.0.0.2");

    for (int i = 0; i < 2; i++) {
      HttpPeer.Answer refused = peer("127.0.0.2").answer();
      assertThat(refused.status()).isEqualTo(503);
      assertThat(refused.body())
          .isEqualTo(
              "too many connections from 127.0.0.2, limit=3 open=3; to allow more, raise"
                  + " rss.peer.max\n");
    }

    assertThat(peer("127.0.0.1").get("/a").answer().status()).isEqualTo(200);
    assertThat(first.get("/b").answer().body()).startsWith("GET /b");
    assertThat(connections.refusedPeers()).isEqualTo(2);
    assertThat(connections.refused()).isZero();
    await(() -> refusals.size() == 2);
    assertThat(refusals)
        .containsOnly(
            "too many connections from 127.0.0.2, limit=3 open=3; to allow more, raise rss.peer.max");
  }

  @Test
  void aClosedConnectionIsNoLongerCounted() throws Exception {
    start(LONG);
    HttpPeer first = peer("127.0.0.2");
    peer("127.0.0.2");
    peer("127.0.0.2");
    assertThat(peer("127.0.0.2").answer().status()).isEqualTo(503);

    first.close();

    await(() -> connections.open() < 3);
    assertThat(peer("127.0.0.2").get("/").answer().status()).isEqualTo(200);
  }

  @Test
  void closesConnectionsBeyondTheLimitOfThePort() throws Exception {
    start(LONG);
    for (int i = 0; i < 8; i++) {
      peer("127.0.0." + (1 + i / 2));
    }
    assertThat(peer("127.0.0.9").answer().body()).contains("raise rss.max");
    assertThat(connections.refused()).isEqualTo(1);
    await(() -> !refusals.isEmpty());
    assertThat(refusals)
        .containsExactly("too many connections, limit=8 open=8; to allow more, raise rss.max");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "GET /",
        "GET / HTTP/1.1\r\nHost: h",
        "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 9999\r\n\r\nabc",
        "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\nffff\r\n"
      })
  void closesTheConnectionOfASlowRequest(String begin) throws Exception {
    start(new HttpTimeouts(SHORT_MS, LONG_MS, LONG_MS, LONG_MS, LONG_MS));
    assertThat(peer().send(begin).isClosedWhileSendingSlowly('a')).isTrue();
  }

  @Test
  void closesTheConnectionOfASlowSecondRequest() throws Exception {
    start(new HttpTimeouts(1000, LONG_MS, LONG_MS, LONG_MS, LONG_MS));
    HttpPeer peer = peer().get("/");
    assertThat(peer.answer().status()).isEqualTo(200);
    assertThat(peer.isClosedWhileSendingSlowly('a')).isTrue();
  }

  @Test
  void answersOthersWhileOneAddressIsSlow() throws Exception {
    connections = new PeerConnections(256, 64, "rss.max", "rss.peer.max");
    start(LONG);
    for (int i = 0; i < 64; i++) {
      peer("127.0.0.2").send("GET / HTTP/1.1\r\nHost: ");
    }
    assertThat(peer().get("/").answer().status()).isEqualTo(200);
  }

  @Test
  void closesAnIdleConnection() throws Exception {
    start(new HttpTimeouts(LONG_MS, LONG_MS, LONG_MS, SHORT_MS, LONG_MS));
    HttpPeer peer = peer().get("/");
    assertThat(peer.answer().status()).isEqualTo(200);
    assertThat(peer.ended()).isTrue();
  }

  @Test
  void closesAConnectionThatDoesNotReadItsAnswer() throws Exception {
    start(new HttpTimeouts(LONG_MS, LONG_MS, SHORT_MS, LONG_MS, LONG_MS));
    HttpPeer slow = HttpPeer.from("127.0.0.1", port.port(), 4096);
    open.push(slow);
    slow.get("/large");
    assertThat(peer().get("/").answer().status()).isEqualTo(200);
    await(() -> connections.open() == 1);
  }

  @Test
  void stopsReadingAConnectionThatDoesNotReadItsAnswers() throws Exception {
    start(new HttpTimeouts(LONG_MS, LONG_MS, SHORT_MS, LONG_MS, LONG_MS));
    HttpPeer greedy = HttpPeer.from("127.0.0.1", port.port(), 4096);
    open.push(greedy);
    greedy.send("GET /large HTTP/1.1\r\nHost: h\r\n\r\n".repeat(100));
    await(() -> connections.open() == 0);
  }

  @Test
  void refusesTooLongRequestsWithAMessage() throws Exception {
    start(LONG);
    Answer line = peer().sendUntilClosed("GET /" + "a".repeat(9000)).answer();
    assertThat(line.status()).isEqualTo(414);
    assertThat(line.body()).isEqualTo("the request line exceeds 8192 bytes\n");
    assertThat(line.header("connection")).isEqualTo("close");

    String padding = ("X-Padding: " + "a".repeat(1000) + "\r\n").repeat(2000);
    HttpPeer peer = peer().sendUntilClosed("GET / HTTP/1.1\r\n" + padding);
    Answer headers = peer.answer();
    assertThat(headers.status()).isEqualTo(431);
    assertThat(headers.body())
        .isEqualTo("the request exceeds 100 headers or 32768 bytes of headers\n");
    assertThat(peer.ended()).isTrue();

    assertThat(
            peer()
                .send("GET / HTTP/1.1\r\n" + "A: b\r\n".repeat(HttpPort.MAX_HEADERS + 1) + "\r\n")
                .answer()
                .status())
        .isEqualTo(431);
    assertThat(
            peer("127.0.0.2")
                .send("GET / HTTP/1.1\r\n" + "A: b\r\n".repeat(HttpPort.MAX_HEADERS) + "\r\n")
                .answer()
                .status())
        .isEqualTo(200);
  }

  @Test
  void refusesATooLongBodyWithoutReadingIt() throws Exception {
    start(LONG);
    String much = "a".repeat(4 << 20);
    for (String sent :
        new String[] {
          "POST / HTTP/1.1\r\nContent-Length: 4194304\r\n\r\n" + much,
          "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n400000\r\n" + much,
          "POST / HTTP/1.1\r\nContent-Length: 4194304\r\nExpect: 100-continue\r\n\r\n"
        }) {
      try (HttpPeer peer = HttpPeer.from("127.0.0.1", port.port())) {
        Answer answer = peer.sendUntilClosed(sent).answer();
        assertThat(answer.status()).isEqualTo(413);
        assertThat(answer.body()).isEqualTo("too long");
        assertThat(peer.ended()).isTrue();
      }
    }
    String maximum = "b".repeat(HttpPort.MAX_BODY_BYTES);
    assertThat(
            peer("127.0.0.2")
                .send(
                    "POST / HTTP/1.1\r\nContent-Length: " + maximum.length() + "\r\n\r\n" + maximum)
                .answer()
                .body())
        .endsWith(maximum);
  }

  @Test
  void answersExpectContinue() throws Exception {
    start(LONG);
    HttpPeer peer =
        peer().send("POST / HTTP/1.1\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n");
    assertThat(peer.answer().status()).isEqualTo(100);
    assertThat(peer.send("abc").answer().body()).isEqualTo("POST /? abc");
  }

  @Test
  void answersInTheOrderOfTheRequests() throws Exception {
    start(LONG);
    HttpPeer peer =
        peer()
            .send(
                String.join(
                    "\r\n",
                    "GET /1 HTTP/1.1",
                    "",
                    "GET /later HTTP/1.1",
                    "",
                    "GET /2?x=y HTTP/1.1",
                    "",
                    "POST /3 HTTP/1.1",
                    "Transfer-Encoding: chunked",
                    "",
                    "2",
                    "ab",
                    "0",
                    "",
                    "GET /4 HTTP/1.1",
                    ""));
    assertThat(peer.answer().body()).isEqualTo("GET /1? ");
    later.complete(HttpAnswer.text(200, "later"));
    assertThat(peer.answer().body()).isEqualTo("later");
    assertThat(peer.answer().body()).isEqualTo("GET /2?x=y ");
    assertThat(peer.answer().body()).isEqualTo("POST /3? ab");
    assertThat(peer.send("\r\n").answer().body()).isEqualTo("GET /4? ");
  }

  @Test
  void headHasTheHeadersOnly() throws Exception {
    start(LONG);
    HttpPeer peer = peer().send("HEAD /text HTTP/1.1\r\n\r\n");
    Answer head = peer.answer(false);
    assertThat(head.status()).isEqualTo(200);
    assertThat(head.header("content-length")).isEqualTo("5000");
    assertThat(peer.get("/a").answer().body()).isEqualTo("GET /a? ");
    assertThat(peer.get("/unchanged").answer().headers())
        .doesNotContainKey("content-length")
        .containsEntry("etag", "\"1\"");
    assertThat(peer.get("/b").answer().body()).isEqualTo("GET /b? ");
  }

  @Test
  void compressesForClientsThatAcceptGzip() throws Exception {
    start(LONG);
    Answer plain = peer().get("/text").answer();
    assertThat(plain.headers()).containsEntry("vary", "Accept-Encoding");
    assertThat(plain.headers()).doesNotContainKey("content-encoding");
    assertThat(plain.body()).hasSize(5000);
    Answer packed = peer().send("GET /text HTTP/1.1\r\nAccept-Encoding: gzip\r\n\r\n").answer();
    assertThat(packed.header("content-encoding")).isEqualTo("gzip");
    assertThat(
            new GZIPInputStream(
                    new ByteArrayInputStream(packed.body().getBytes(StandardCharsets.ISO_8859_1)))
                .readAllBytes())
        .hasSize(5000);
    assertThat(peer().send("GET /a HTTP/1.1\r\nAccept-Encoding: gzip\r\n\r\n").answer().headers())
        .doesNotContainKey("content-encoding")
        .containsEntry("date", "Fri, 02 Jan 2026 03:04:05 GMT");
  }

  @Test
  void keepsConnectionsAliveByTheirVersion() throws Exception {
    start(LONG);
    HttpPeer old = peer().send("GET / HTTP/1.0\r\n\r\n");
    assertThat(old.answer().status()).isEqualTo(200);
    assertThat(old.ended()).isTrue();

    HttpPeer kept = peer().send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
    assertThat(kept.answer().header("connection")).isEqualTo("keep-alive");
    assertThat(kept.get("/").answer().status()).isEqualTo(200);

    HttpPeer leaving = peer().send("GET / HTTP/1.1\r\nConnection: close\r\n\r\n");
    assertThat(leaving.answer().header("connection")).isEqualTo("close");
    assertThat(leaving.ended()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "POST / HTTP/1.1\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "POST / HTTP/1.1\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd",
        "POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
        "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        "GET /a b c HTTP/1.1\r\n\r\n",
        "GET /%zz HTTP/1.1\r\n\r\n",
        "GET /<script> HTTP/1.1\r\n\r\n",
        "GET / HTTP/1.1\r\nno colon\r\n\r\n",
        "\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003\r\n\r\n",
      })
  void refusesInvalidRequests(String sent) throws Exception {
    start(LONG);
    HttpPeer peer = peer().send(sent + "GET /smuggled HTTP/1.1\r\n\r\n");
    Answer answer = peer.answer();
    assertThat(answer.status()).isEqualTo(400);
    assertThat(answer.body()).endsWith("\n").doesNotContain("script", "smuggled").hasLineCount(1);
    assertThat(peer.ended()).isTrue();
    assertThat(peer().get("/").answer().status()).isEqualTo(200);
  }

  @Test
  void acceptsTargetsInTheFormOfProxies() throws Exception {
    start(LONG);
    assertThat(peer().get("http://host/a?b=%20[]").answer().body()).isEqualTo("GET /a?b=%20[] ");
    assertThat(peer().get("//host/a").answer().body()).isEqualTo("GET //host/a? ");
    assertThat(peer().send("GET / HTTP/2.0\r\n\r\n").answer().status()).isEqualTo(505);
  }

  @Test
  void aFailedHandlerIsReported() throws Exception {
    start(LONG);
    HttpPeer peer = peer().get("/bug");
    Answer answer = peer.answer();
    assertThat(answer.status()).isEqualTo(500);
    assertThat(answer.body()).isEqualTo("internal error; see the log of the process\n");
    later.completeExceptionally(new IllegalStateException("test failure"));
    assertThat(peer.get("/later").answer().status()).isEqualTo(500);
    assertThat(peer.get("/").answer().status()).isEqualTo(200);
  }

  @Test
  void answersWithAnErrorAfterATimeout() throws Exception {
    start(new HttpTimeouts(LONG_MS, SHORT_MS, LONG_MS, LONG_MS, LONG_MS));
    HttpPeer peer = peer().get("/later");
    Answer answer = peer.answer();
    assertThat(answer.status()).isEqualTo(503);
    assertThat(answer.body()).isEqualTo("timeout while creating the answer; try again later\n");
    later.complete(HttpAnswer.text(200, "too late"));
    assertThat(peer.ended()).isTrue();
  }

  @Test
  void stopsItsThreadsAndFreesItsPort() throws Exception {
    start(LONG);
    InetSocketAddress address = new InetSocketAddress("127.0.0.1", port.port());
    HttpPort other =
        new HttpPort(
            "other-http",
            Optional.empty(),
            new AcceptLimit(connections, RefusalReply.HTTP, (peer, reason) -> {}),
            LONG,
            CLOCK,
            this::page);
    open.push(other);
    assertThatThrownBy(() -> other.start(address)).isInstanceOf(BindException.class);
    HttpPeer peer = peer().get("/later");
    port.close();
    port.close();
    assertThat(peer.ended()).isTrue();
    await(
        () ->
            Thread.getAllStackTraces().keySet().stream()
                .noneMatch(thread -> thread.getName().matches("(test|other)-http.*")));
    assertThat(connections.open()).isZero();
    start(LONG);
  }
}
