package io.sluice.transport.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.transport.server.ConnectionTimeouts.Part;
import io.sluice.transport.server.ConnectionTimeouts.Received;
import io.sluice.transport.server.ConnectionTimeouts.Sent;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ConnectionTimeoutsTest {
  private static final DataTransportConfig CONFIG =
      new DataTransportConfig(1_000, 2_000, 10_000, 1, 1);
  private static final long BEGIN_NANOS = -5_000_000_000L;
  private static final Received NOTHING = new Received(0, 0, Part.NONE);
  private static final Sent NO_REPLY = new Sent(false, 0, 0);

  private final ConnectionTimeouts timeouts = new ConnectionTimeouts(CONFIG, BEGIN_NANOS);

  private String at(long ms, boolean handshakeDone, Received received, Sent sent) {
    return timeouts.overdue(
        BEGIN_NANOS + TimeUnit.MILLISECONDS.toNanos(ms), handshakeDone, received, sent);
  }

  private String at(long ms, Received received) {
    return at(ms, true, received, NO_REPLY);
  }

  private String at(long ms, Sent sent) {
    return at(ms, true, NOTHING, sent);
  }

  @Test
  void checksOftenEnoughForTheShortestTimeout() {
    assertThat(timeouts.intervalMs()).isEqualTo(250);
  }

  @Test
  void helloHasATimeout() {
    assertThat(at(999, false, NOTHING, NO_REPLY)).isNull();
    assertThat(at(1_000, false, NOTHING, NO_REPLY)).isEqualTo("HELLO");
  }

  @Test
  void idleConnectionMayStay() {
    for (int ms = 0; ms < 100_000; ms += 250) {
      assertThat(at(ms, true, NOTHING, NO_REPLY)).isNull();
    }
  }

  @Test
  void idleConnectionMayStayForAnHourAfterItsReplies() {
    assertThat(at(0, new Sent(true, 7, 3))).isNull();
    assertThat(at(250, new Sent(false, 9, 5))).isNull();
    assertThat(at(3_600_000, new Sent(false, 9, 5))).isNull();
    assertThat(at(3_600_250, new Sent(true, 9, 5))).as("a new reply").isNull();
    assertThat(at(3_602_000, new Sent(true, 9, 5))).isNull();
    assertThat(at(3_602_250, new Sent(true, 9, 5))).isNotNull();
  }

  @Test
  void bodyMustContinue() {
    assertThat(at(5_000, new Received(10, 0, Part.BODY))).isNull();
    assertThat(at(6_900, new Received(20, 0, Part.BODY))).isNull();
    assertThat(at(8_800, new Received(20, 0, Part.BODY))).isNull();
    assertThat(at(8_900, new Received(20, 0, Part.BODY))).isEqualTo("the rest of a body");
  }

  @Test
  void bodyThatTricklesMustEnd() {
    assertThat(trickled(Part.BODY)).isEqualTo("the end of a body at 10250");
  }

  @Test
  void headThatTricklesMustEnd() {
    assertThat(trickled(Part.HEAD)).isEqualTo("the end of a head at 10250");
  }

  private String trickled(Part part) {
    String overdue = null;
    int ms = 0;
    while (overdue == null && ms < 60_000) {
      ms += 250;
      overdue = at(ms, new Received(ms, 0, part));
    }
    return overdue + " at " + ms;
  }

  @Test
  void nextBodyHasASeparateTimeout() {
    for (int ms = 0; ms < 50_000; ms += 250) {
      Part part = ms % 5_000 == 0 ? Part.NONE : Part.BODY;
      assertThat(at(ms, new Received(ms, ms / 5_000, part))).isNull();
    }
  }

  /** A connection that pushes continuously is within a body at every check. */
  @Test
  void consecutiveBodiesHaveSeparateTimeouts() {
    for (int ms = 0; ms < 50_000; ms += 250) {
      assertThat(at(ms, new Received(ms, ms / 5_000, Part.BODY))).isNull();
    }
  }

  @Test
  void headMustContinue() {
    Received half = new Received(17, 0, Part.HEAD);
    assertThat(at(100, half)).isNull();
    assertThat(at(2_050, half)).isNull();
    assertThat(at(2_100, half)).isEqualTo("the rest of a head");
  }

  @Test
  void repliesMustBeRead() {
    assertThat(at(0, new Sent(true, 7, 0))).isNull();
    assertThat(at(1_900, new Sent(true, 8, 0))).isNull();
    assertThat(at(3_800, new Sent(true, 8, 0))).isNull();
    assertThat(at(3_900, new Sent(true, 8, 0))).isEqualTo("the client to read its replies");
  }

  @Test
  void repliesReadInTimeCauseNoTimeout() {
    assertThat(at(0, new Sent(true, 7, 0))).isNull();
    assertThat(at(1_900, new Sent(false, 7, 1))).isNull();
    assertThat(at(2_000, new Sent(true, 7, 1))).isNull();
    assertThat(at(3_900, new Sent(true, 7, 1))).isNull();
  }

  @Test
  void aReplyReadByteByByteMustEnd() {
    String overdue = null;
    int ms = 0;
    while (overdue == null && ms < 60_000) {
      ms += 250;
      overdue = at(ms, new Sent(true, ms, 0));
    }
    assertThat(overdue).isEqualTo("the client to read a complete reply");
    assertThat(ms).isEqualTo(10_250);
  }

  @Test
  void consecutiveRepliesHaveSeparateTimeouts() {
    for (int ms = 0; ms < 50_000; ms += 250) {
      assertThat(at(ms, new Sent(true, ms, ms / 5_000))).isNull();
    }
  }
}
