package io.sluice.transport.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.common.error.SluiceException;
import io.sluice.proto.Error;
import io.sluice.proto.FetchReply;
import io.sluice.proto.PushAck;
import io.sluice.proto.Status;
import io.sluice.transport.protocol.FrameType;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Ownership of a reply's body for every order of reply, cancellation and end of the connection. */
class RequestsTest {
  private static final int LENGTH = 100;
  private static final int TIMEOUT_MS = 1_000;
  private static final FetchReply REPLY = FetchReply.newBuilder().setEpoch(7).build();

  private long nanos;
  private final Requests requests = new Requests("server-1", () -> nanos);
  private final ByteBuf body = Unpooled.directBuffer(LENGTH).writeZero(LENGTH);

  @Test
  void bodyOfReplyBelongsToTheCaller() {
    Requests.Added<FetchedBody> fetch = requests.addFetch(LENGTH, TIMEOUT_MS);

    requests.complete(fetch.requestId(), REPLY, body);

    try (FetchedBody fetched = fetch.future().join()) {
      assertThat(fetched.head()).isEqualTo(REPLY);
      assertThat(fetched.bytes()).isSameAs(body);
      assertThat(body.refCnt()).isEqualTo(1);
    }
    assertThat(body.refCnt()).isZero();
  }

  @Test
  void bodyForCancelledFetchIsFreedOnArrival() {
    Requests.Added<FetchedBody> fetch = requests.addFetch(LENGTH, TIMEOUT_MS);
    assertThat(fetch.future().cancel(false)).isTrue();

    requests.complete(fetch.requestId(), REPLY, body);

    assertThat(body.refCnt()).isZero();
  }

  @Test
  void cancellingAfterTheReplyLeavesTheBodyToTheCaller() {
    Requests.Added<FetchedBody> fetch = requests.addFetch(LENGTH, TIMEOUT_MS);
    requests.complete(fetch.requestId(), REPLY, body);

    assertThat(fetch.future().cancel(false)).isFalse();

    assertThat(body.refCnt()).isEqualTo(1);
    fetch.future().join().close();
    assertThat(body.refCnt()).isZero();
  }

  @Test
  void bodyOfReplyAfterTheEndIsFreed() {
    Requests.Added<FetchedBody> fetch = requests.addFetch(LENGTH, TIMEOUT_MS);
    requests.failAll(new IOException("cable pulled"));

    requests.complete(fetch.requestId(), REPLY, body);

    assertThat(body.refCnt()).isZero();
    assertThatThrownBy(fetch.future()::join)
        .hasCauseInstanceOf(ConnectionLostException.class)
        .hasMessageContaining("cable pulled");
  }

  @Test
  void secondReplyToOneRequestIsFreed() {
    Requests.Added<FetchedBody> fetch = requests.addFetch(LENGTH, TIMEOUT_MS);
    ByteBuf second = Unpooled.directBuffer(LENGTH).writeZero(LENGTH);
    requests.complete(fetch.requestId(), REPLY, body);

    requests.complete(fetch.requestId(), REPLY, second);

    assertThat(second.refCnt()).isZero();
    fetch.future().join().close();
  }

  @Test
  void endAfterTheReplyLeavesTheBodyToTheCaller() {
    Requests.Added<FetchedBody> fetch = requests.addFetch(LENGTH, TIMEOUT_MS);
    requests.complete(fetch.requestId(), REPLY, body);

    requests.failAll(new IOException("cable pulled"));

    assertThat(fetch.future()).isCompleted();
    fetch.future().join().close();
    assertThat(body.refCnt()).isZero();
  }

  @Test
  void refusalNamesTheServer() {
    Requests.Added<FetchedBody> fetch = requests.addFetch(LENGTH, TIMEOUT_MS);

    requests.complete(
        fetch.requestId(),
        Error.newBuilder().setStatus(Status.EXPIRED).setMessage("has ended").build(),
        null);

    assertThatThrownBy(fetch.future()::join)
        .hasCauseInstanceOf(SluiceException.class)
        .hasMessageContaining("server server-1: has ended");
    body.release();
  }

  @Test
  void requestAddedAfterTheEndFailsAtOnce() {
    requests.failAll(new IOException("cable pulled"));

    CompletableFuture<PushAck> push =
        requests.add(FrameType.PUSH_ACK, PushAck.parser(), TIMEOUT_MS).future();

    assertThat(push).isCompletedExceptionally();
    assertThat(requests.anyOverdue()).isFalse();
    body.release();
  }

  @Test
  void onlyUnansweredRequestsBecomeOverdue() {
    Requests.Added<FetchedBody> fetch = requests.addFetch(LENGTH, TIMEOUT_MS);
    nanos += TimeUnit.MILLISECONDS.toNanos(TIMEOUT_MS) - 1;
    assertThat(requests.anyOverdue()).isFalse();
    nanos++;
    assertThat(requests.anyOverdue()).isTrue();

    requests.complete(fetch.requestId(), REPLY, body);

    assertThat(requests.anyOverdue()).isFalse();
    fetch.future().join().close();
  }
}
