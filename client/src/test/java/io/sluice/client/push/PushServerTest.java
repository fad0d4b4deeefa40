package io.sluice.client.push;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.sluice.proto.Fetch;
import io.sluice.proto.Open;
import io.sluice.proto.OpenReply;
import io.sluice.proto.Push;
import io.sluice.proto.PushAck;
import io.sluice.proto.ServerId;
import io.sluice.transport.client.DataConnection;
import io.sluice.transport.client.FetchedBody;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class PushServerTest {
  private final PushServer server =
      new PushServer(0, ServerId.newBuilder().setName("server").setEpoch(1).build());

  /** A connection of which only the handshake matters. */
  private record Greeting(long epoch, long wholeSinceEpoch) implements DataConnection {
    @Override
    public int maxBodyLength() {
      return Integer.MAX_VALUE;
    }

    @Override
    public CompletableFuture<PushAck> push(Push push, ByteBuf body) {
      throw new UnsupportedOperationException();
    }

    @Override
    public CompletableFuture<OpenReply> open(Open open) {
      throw new UnsupportedOperationException();
    }

    @Override
    public CompletableFuture<FetchedBody> fetch(Fetch fetch) {
      throw new UnsupportedOperationException();
    }

    @Override
    public boolean isOpen() {
      return true;
    }

    @Override
    public void close() {}
  }

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
