package io.sluice.client.push;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.client.fake.IdleConnection;
import io.sluice.proto.ServerId;
import org.junit.jupiter.api.Test;

class PushServerTest {
  private final PushServer server =
      new PushServer(0, ServerId.newBuilder().setName("server").setEpoch(1).build());

  /** A connection of which only the handshake matters. */
  private record Greeting(long epoch, long wholeSinceEpoch) implements IdleConnection {}

  @Test
  void resumesAtAnyServerBeforeTheFirstAcknowledgement() {
    assertThat(server.canResume(new Greeting(3, 3))).isTrue();
  }

  @Test
  void resumesAfterARestartThatKeptAllFrames() {
    server.acknowledged(1);
    server.acknowledged(2);
    assertThat(server.canResume(new Greeting(3, 1))).isTrue();
  }

  @Test
  void doesNotResumeIfTheFirstAcknowledgedFramesAreLost() {
    server.acknowledged(1);
    server.acknowledged(2);
    assertThat(server.canResume(new Greeting(3, 2))).isFalse();
  }

  @Test
  void anAcknowledgementThatArrivesLateCountsInItsEpoch() {
    server.acknowledged(2);
    server.acknowledged(1);
    assertThat(server.canResume(new Greeting(3, 2))).isFalse();
  }
}
