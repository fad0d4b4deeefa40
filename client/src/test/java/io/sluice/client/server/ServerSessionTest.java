package io.sluice.client.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.proto.ServerId;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ServerSessionTest {
  private static final RetryPolicy FOUR_TRIES_IN_A_SECOND = new RetryPolicy(4, 100, 400, 1000);

  private final ServerSession session =
      new ServerSession(ServerId.newBuilder().setName("server-1").build());

  private static long ms(long ms) {
    return TimeUnit.MILLISECONDS.toNanos(ms);
  }

  @Test
  void countsRequestsThatFailTogetherOnce() {
    assertThat(session.failed(ms(0))).isTrue();
    session.backOff(FOUR_TRIES_IN_A_SECOND, ms(0));

    assertThat(session.failed(ms(99))).isFalse();
    assertThat(session.failures()).isEqualTo(1);
    assertThat(session.maySend(ms(99))).isFalse();
    assertThat(session.backOffLeftNanos(ms(99))).isEqualTo(ms(1));

    assertThat(session.maySend(ms(100))).isTrue();
    assertThat(session.backOffLeftNanos(ms(100))).isEqualTo(Long.MAX_VALUE);
    assertThat(session.failed(ms(110))).isTrue();
    assertThat(session.failures()).isEqualTo(2);
    assertThat(session.failingMs(ms(110))).isEqualTo(110);
  }

  @Test
  void isExhaustedByAttemptsOrByTime() {
    for (int i = 0; i < 4; i++) {
      assertThat(session.isExhausted(FOUR_TRIES_IN_A_SECOND, ms(0))).isFalse();
      session.failed(ms(0));
    }
    assertThat(session.isExhausted(FOUR_TRIES_IN_A_SECOND, ms(0))).isTrue();

    session.succeeded();
    session.failed(ms(5000));
    assertThat(session.isExhausted(FOUR_TRIES_IN_A_SECOND, ms(5999))).isFalse();
    assertThat(session.isExhausted(FOUR_TRIES_IN_A_SECOND, ms(6000))).isTrue();
  }

  @Test
  void doublesTheDelayAndEndsTheLastOneWithTheRetryPeriod() {
    session.failed(ms(0));
    session.failed(ms(0));
    session.backOff(FOUR_TRIES_IN_A_SECOND, ms(0));
    assertThat(session.backOffLeftNanos(ms(0))).isEqualTo(ms(200));

    session.endBackOff();
    session.backOff(FOUR_TRIES_IN_A_SECOND, ms(900));
    assertThat(session.backOffLeftNanos(ms(900))).isEqualTo(ms(100));
  }

  @Test
  void forgetsFailuresAfterASuccess() {
    session.failed(ms(0));
    session.backOff(FOUR_TRIES_IN_A_SECOND, ms(0));
    session.succeeded();

    assertThat(session.maySend(ms(1))).isTrue();
    session.failed(ms(2000));
    assertThat(session.failures()).isEqualTo(1);
    assertThat(session.failingMs(ms(2001))).isEqualTo(1);
  }

  @Test
  void isOverdueOnlyWhileAReplyIsExpected() {
    assertThat(session.isOverdue(ms(10))).isFalse();
    assertThat(session.replyLeftNanos(ms(10))).isEqualTo(Long.MAX_VALUE);

    session.expectReplyBy(ms(50));
    assertThat(session.isOverdue(ms(49))).isFalse();
    assertThat(session.replyLeftNanos(ms(49))).isEqualTo(ms(1));
    assertThat(session.isOverdue(ms(50))).isTrue();

    session.replyReceived();
    assertThat(session.isOverdue(ms(60))).isFalse();
  }

  @Test
  void isNotConnectedWhileConnectingOrAfterwards() {
    assertThat(session.isConnecting()).isFalse();
    session.connecting();
    assertThat(session.isConnecting()).isTrue();
    assertThat(session.isConnected()).isFalse();
    session.disconnected();
    assertThat(session.isConnecting()).isFalse();
    assertThat(session.connection()).isNull();
  }
}
