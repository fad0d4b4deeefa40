package io.sluice.server;

import io.netty.buffer.ByteBuf;
import io.sluice.common.error.SluiceException;
import io.sluice.proto.Fetch;
import io.sluice.proto.FetchReply;
import io.sluice.proto.Hello;
import io.sluice.proto.HelloReply;
import io.sluice.proto.Open;
import io.sluice.proto.OpenReply;
import io.sluice.proto.Push;
import io.sluice.proto.PushAck;
import io.sluice.server.observe.Latencies;
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
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;

/**
 * Data service that records the latency of each request and counts fetches in progress. A clean
 * stop waits until their replies are sent. Thread-safe.
 */
final class TrackedDataService implements DataService {
  private final DataService service;
  private final Latencies latencies;
  private final LongSupplier nanoTime;
  private final AtomicInteger fetchesInProgress = new AtomicInteger();
  private volatile CountDownLatch idle;

  TrackedDataService(DataService service, Latencies latencies, LongSupplier nanoTime) {
    this.service = service;
    this.latencies = latencies;
    this.nanoTime = nanoTime;
  }

  /**
   * Waits until no fetch is in progress.
   *
   * @return false on timeout
   */
  boolean awaitIdle(long timeoutMs) throws InterruptedException {
    CountDownLatch latch = new CountDownLatch(1);
    idle = latch;
    // A thread that ends the last fetch from now on sees the latch.
    return fetchesInProgress.get() == 0 || latch.await(timeoutMs, TimeUnit.MILLISECONDS);
  }

  private void fetchEnded() {
    if (fetchesInProgress.decrementAndGet() == 0) {
      CountDownLatch latch = idle;
      if (latch != null) {
        latch.countDown();
      }
    }
  }

  @Override
  public long epoch() {
    return service.epoch();
  }

  @Override
  public ConnectionGuard guard() {
    return service.guard();
  }

  @Override
  public FrameLimits limits() {
    return service.limits();
  }

  @Override
  public BodyMemory bodyMemory() {
    return service.bodyMemory();
  }

  @Override
  public RequestMemory requestMemory() {
    return service.requestMemory();
  }

  @Override
  public HelloReply hello(Hello hello) throws SluiceException {
    return service.hello(hello);
  }

  @Override
  public void checkPush(ClientConnection connection, Push push, int bodyLength)
      throws SluiceException {
    service.checkPush(connection, push, bodyLength);
  }

  @Override
  public PushAck push(ClientConnection connection, Push push, ByteBuf body) throws SluiceException {
    long startNanos = nanoTime.getAsLong();
    // Read before the service releases the body.
    int length = body.readableBytes();
    try {
      return service.push(connection, push, body);
    } finally {
      latencies.pushed(nanoTime.getAsLong() - startNanos, length);
    }
  }

  @Override
  public CompletionStage<OpenReply> open(ClientConnection connection, Open open) {
    long startNanos = nanoTime.getAsLong();
    CompletionStage<OpenReply> reply = service.open(connection, open);
    CompletionStage<OpenReply> unused =
        reply.whenComplete((found, failure) -> latencies.opened(nanoTime.getAsLong() - startNanos));
    return reply;
  }

  @Override
  public CompletableFuture<FetchedBytes> fetch(ClientConnection connection, Fetch fetch) {
    long startNanos = nanoTime.getAsLong();
    fetchesInProgress.incrementAndGet();
    CompletableFuture<FetchedBytes> reply = service.fetch(connection, fetch);
    CompletableFuture<FetchedBytes> tracked = new CompletableFuture<>();
    CompletableFuture<FetchedBytes> unused =
        reply.whenComplete(
            (bytes, failure) -> {
              if (bytes == null) {
                fetchEnded();
                tracked.completeExceptionally(failure);
                return;
              }
              latencies.fetched(nanoTime.getAsLong() - startNanos, bytes.length());
              Tracked result = new Tracked(bytes);
              if (!tracked.complete(result)) {
                result.close();
              }
            });
    CompletableFuture<FetchedBytes> unusedCancelled =
        tracked.whenComplete(
            (bytes, failure) -> {
              if (tracked.isCancelled()) {
                reply.cancel(false);
              }
            });
    return tracked;
  }

  private final class Tracked implements FetchedBytes {
    private final FetchedBytes bytes;
    private final AtomicBoolean closed = new AtomicBoolean();

    private Tracked(FetchedBytes bytes) {
      this.bytes = bytes;
    }

    @Override
    public FetchReply head() {
      return bytes.head();
    }

    @Override
    public int length() {
      return bytes.length();
    }

    @Override
    public List<Piece> pieces() {
      return bytes.pieces();
    }

    @Override
    public void sent(int count) {
      bytes.sent(count);
    }

    @Override
    public void close() {
      if (closed.compareAndSet(false, true)) {
        try {
          bytes.close();
        } finally {
          fetchEnded();
        }
      }
    }
  }
}
