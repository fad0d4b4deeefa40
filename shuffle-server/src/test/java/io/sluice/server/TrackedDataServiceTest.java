package io.sluice.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.prometheus.client.CollectorRegistry;
import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import io.sluice.proto.Fetch;
import io.sluice.proto.FetchReply;
import io.sluice.proto.Hello;
import io.sluice.proto.HelloReply;
import io.sluice.proto.Open;
import io.sluice.proto.OpenReply;
import io.sluice.proto.Push;
import io.sluice.proto.PushAck;
import io.sluice.server.observe.Latencies;
import io.sluice.server.read.InlineReads;
import io.sluice.transport.protocol.ConnectionGuard;
import io.sluice.transport.protocol.FrameLimits;
import io.sluice.transport.server.BodyMemory;
import io.sluice.transport.server.ClientConnection;
import io.sluice.transport.server.DataService;
import io.sluice.transport.server.FetchedBytes;
import io.sluice.transport.server.RequestMemory;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class TrackedDataServiceTest {
  private static final ClientConnection CLIENT = new ClientConnection("app", "test", "loopback");

  private final AtomicInteger closes = new AtomicInteger();
  private final CompletableFuture<FetchedBytes> pending = new CompletableFuture<>();
  private final Latencies latencies = new Latencies();
  private final AtomicLong nanos = new AtomicLong();
  private SluiceException refusal;
  private boolean pendingReplies;
  private long step;
  private final TrackedDataService service =
      new TrackedDataService(new FakeService(), latencies, nanos::get);

  private FetchedBytes fetch() throws SluiceException {
    return InlineReads.await(service.fetch(CLIENT, Fetch.getDefaultInstance()));
  }

  @Test
  void isIdleWithoutFetches() throws Exception {
    assertThat(service.awaitIdle(0)).isTrue();
    fetch().close();
    assertThat(service.awaitIdle(0)).isTrue();
  }

  @Test
  void awaitIdleTimesOut() throws Exception {
    FetchedBytes bytes = fetch();
    assertThat(service.awaitIdle(1)).isFalse();
    bytes.close();
    assertThat(service.awaitIdle(0)).isTrue();
  }

  @Test
  void awaitIdleWaitsForTheLastReply() throws Exception {
    FetchedBytes first = fetch();
    FetchedBytes second = fetch();
    first.close();
    first.close();
    assertThat(closes).as("closed once").hasValue(1);
    assertThat(service.awaitIdle(1)).isFalse();
    CompletableFuture<Boolean> waiting =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                return service.awaitIdle(TimeUnit.MINUTES.toMillis(10));
              } catch (InterruptedException e) {
                throw new IllegalStateException(e);
              }
            });
    second.close();
    assertThat(waiting.get(30, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void aRefusedFetchIsNotInProgress() throws Exception {
    refusal = new SluiceException(StatusCode.EXPIRED, "injected failure");
    assertThatThrownBy(this::fetch).isSameAs(refusal);
    assertThat(service.awaitIdle(0)).isTrue();
  }

  @Test
  void aFetchWithoutReplyIsInProgress() throws Exception {
    pendingReplies = true;
    CompletableFuture<FetchedBytes> answer = service.fetch(CLIENT, Fetch.getDefaultInstance());
    assertThat(service.awaitIdle(1)).isFalse();
    pending.completeExceptionally(new SluiceException(StatusCode.LOST, "injected failure"));
    assertThat(answer).isCompletedExceptionally();
    assertThat(service.awaitIdle(0)).isTrue();
  }

  @Test
  void cancellingAFetchCancelsItInTheService() throws Exception {
    pendingReplies = true;
    assertThat(service.fetch(CLIENT, Fetch.getDefaultInstance()).cancel(false)).isTrue();
    assertThat(pending).isCancelled();
    assertThat(service.awaitIdle(0)).isTrue();
  }

  @Test
  void recordsTheLatencyOfEachRequest() throws Exception {
    CollectorRegistry registry = new CollectorRegistry();
    latencies.register(registry);
    step = TimeUnit.SECONDS.toNanos(2);
    service.push(CLIENT, Push.getDefaultInstance(), Unpooled.wrappedBuffer(new byte[10]));
    service.open(CLIENT, Open.getDefaultInstance());
    pendingReplies = true;
    CompletableFuture<FetchedBytes> reply = service.fetch(CLIENT, Fetch.getDefaultInstance());
    assertThat(registry.getSampleValue("sluice_server_fetch_seconds_sum")).isZero();
    nanos.addAndGet(step);
    pending.complete(new FakeService().bytes());
    reply.join().close();

    assertThat(registry.getSampleValue("sluice_server_push_seconds_sum")).isEqualTo(2);
    assertThat(registry.getSampleValue("sluice_server_push_body_bytes_sum")).isEqualTo(10);
    assertThat(registry.getSampleValue("sluice_server_open_seconds_sum")).isEqualTo(2);
    assertThat(registry.getSampleValue("sluice_server_fetch_seconds_sum")).isEqualTo(2);
  }

  private final class FakeService implements DataService {
    @Override
    public long epoch() {
      return 1;
    }

    @Override
    public ConnectionGuard guard() {
      return ConnectionGuard.OPEN;
    }

    @Override
    public FrameLimits limits() {
      return FrameLimits.DEFAULT;
    }

    @Override
    public BodyMemory bodyMemory() {
      throw new UnsupportedOperationException();
    }

    @Override
    public RequestMemory requestMemory() {
      throw new UnsupportedOperationException();
    }

    @Override
    public HelloReply hello(Hello hello) {
      return HelloReply.getDefaultInstance();
    }

    @Override
    public PushAck push(ClientConnection connection, Push push, ByteBuf body) {
      body.release();
      nanos.addAndGet(step);
      return PushAck.getDefaultInstance();
    }

    @Override
    public CompletionStage<OpenReply> open(ClientConnection connection, Open open) {
      nanos.addAndGet(step);
      return CompletableFuture.completedFuture(OpenReply.getDefaultInstance());
    }

    @Override
    public CompletableFuture<FetchedBytes> fetch(ClientConnection connection, Fetch fetch) {
      if (refusal != null) {
        return CompletableFuture.failedFuture(refusal);
      }
      if (pendingReplies) {
        return pending;
      }
      return CompletableFuture.completedFuture(bytes());
    }

    private FetchedBytes bytes() {
      return new FetchedBytes() {
        @Override
        public FetchReply head() {
          return FetchReply.getDefaultInstance();
        }

        @Override
        public int length() {
          return 0;
        }

        @Override
        public List<Piece> pieces() {
          return List.of();
        }

        @Override
        public void close() {
          closes.incrementAndGet();
        }
      };
    }
  }
}
