package io.sluice.coordinator.http;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.HttpHeaders;
import io.sluice.common.auth.AuditLog;
import io.sluice.common.auth.CallDenials;
import io.sluice.common.auth.ClusterSecurity;
import io.sluice.common.auth.DeniedCall.Cause;
import io.sluice.metrics.http.HttpCall;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.URI;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSession;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/** Bearer tokens over encrypted and clear connections. */
class ApiHandlerTest {
  private static final String TOKEN = "ops:0123456789abcdef0123456789abcdef";

  private final Logger logger = (Logger) LoggerFactory.getLogger(ApiHandler.class);
  private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
  private final AtomicLong nanos = new AtomicLong();
  private final CallDenials denials = new CallDenials(new AuditLog(), nanos::get);

  /** Without users: a token that is examined gives 401. No request reaches the API. */
  private final ApiHandler handler =
      new ApiHandler(null, ClusterSecurity.OFF, new HostNames(""), denials, nanos::get);

  @BeforeEach
  void listen() {
    lines.start();
    logger.addAppender(lines);
  }

  @AfterEach
  void stop() {
    logger.detachAppender(lines);
  }

  private Reply answer(String authorization, SSLSession session, SocketAddress peer) {
    HttpHeaders headers = new DefaultHttpHeaders().add("Authorization", authorization);
    return handler
        .answer(
            new HttpCall(
                "GET",
                URI.create("http://here/api/v1/cluster"),
                headers,
                new byte[0],
                false,
                session,
                peer))
        .toCompletableFuture()
        .join();
  }

  private static SocketAddress peer(String address) throws Exception {
    return new InetSocketAddress(InetAddress.getByName(address), 41);
  }

  private static SSLSession session() throws Exception {
    return SSLContext.getDefault().createSSLEngine().getSession();
  }

  @ParameterizedTest
  @ValueSource(strings = {"10.1.2.3", "192.168.0.1", "2001:db8::1", "fe80::1", "0.0.0.0"})
  void refusesATokenFromAnotherHostWithoutTls(String address) throws Exception {
    Reply reply = answer("Bearer " + TOKEN, null, peer(address));

    assertThat(reply.code()).isEqualTo(403);
    assertThat(reply.text())
        .contains("only over TLS or from this host")
        .contains("rss.security.tls.enabled")
        .contains("sluice admin")
        .doesNotContain("0123456789");
    assertThat(denials.count(Cause.PERMISSION_DENIED)).isEqualTo(1);
    assertThat(lines.list).hasSize(1);
    assertThat(lines.list.get(0).getFormattedMessage())
        .startsWith("a user's secret was sent without TLS and refused; change the secret peer=")
        .doesNotContain("0123456789");
  }

  @Test
  void examinesATokenOverTls() throws Exception {
    assertThat(answer("Bearer " + TOKEN, session(), peer("10.1.2.3")).code()).isEqualTo(401);
    assertThat(lines.list).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"})
  void examinesATokenOfThisHost(String address) throws Exception {
    assertThat(answer("Bearer " + TOKEN, null, peer(address)).code()).isEqualTo(401);
    assertThat(lines.list).isEmpty();
  }

  @Test
  void logsOneLinePerSecond() throws Exception {
    for (int i = 0; i < 1000; i++) {
      assertThat(answer("Bearer " + TOKEN, null, peer("10.1.2.3")).code()).isEqualTo(403);
    }
    assertThat(lines.list).hasSize(1);
    nanos.addAndGet(TimeUnit.SECONDS.toNanos(1));
    assertThat(answer("bearer  " + TOKEN, null, peer("10.1.2.3")).code()).isEqualTo(403);
    assertThat(lines.list).hasSize(2);
    assertThat(lines.list.get(1).getFormattedMessage()).contains("(and 999 more");
  }
}
