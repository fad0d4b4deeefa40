package io.sluice.server;

import io.sluice.common.auth.ConnectionGuard;
import io.sluice.proto.Fetch;
import io.sluice.proto.FetchReply;
import io.sluice.server.service.ClientConnection;
import io.sluice.server.service.DataService;
import io.sluice.server.service.FetchedBytes;
import io.sluice.server.service.ForwardingDataService;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A service that knows how many answers with bytes are on their way, so that a clean stop can wait
 * until they have gone out. Thread-safe.
 */
final class DrainingDataService extends ForwardingDataService {
  private final ConnectionGuard guard;
  private final AtomicInteger fetchesUnderWay = new AtomicInteger();
  private volatile CountDownLatch idle;

  DrainingDataService(DataService service, ConnectionGuard guard) {
    super(service);
    this.guard = guard;
  }

  /**
   * Waits until no answer is on its way.
   *
   * @return false if some still were when the time was over
   */
  boolean awaitIdle(long timeoutMs) throws InterruptedException {
    CountDownLatch latch = new CountDownLatch(1);
    idle = latch;
    // Whoever ends the last fetch after this line sees the latch.
    return fetchesUnderWay.get() == 0 || latch.await(timeoutMs, TimeUnit.MILLISECONDS);
  }

  private void fetchEnded() {
    if (fetchesUnderWay.decrementAndGet() == 0) {
      CountDownLatch latch = idle;
      if (latch != null) {
        latch.countDown();
      }
    }
  }

  @Override
  public ConnectionGuard guard() {
    return guard;
  }

  @Override
  public CompletableFuture<FetchedBytes> fetch(ClientConnection connection, Fetch fetch) {
    fetchesUnderWay.incrementAndGet();
    CompletableFuture<FetchedBytes> answer = super.fetch(connection, fetch);
    CompletableFuture<FetchedBytes> tracked = new CompletableFuture<>();
    CompletableFuture<FetchedBytes> unused =
        answer.whenComplete(
            (bytes, failure) -> {
              if (bytes == null) {
                fetchEnded();
                tracked.completeExceptionally(failure);
                return;
              }
              Tracked held = new Tracked(bytes);
              if (!tracked.complete(held)) {
                held.close();
              }
            });
    CompletableFuture<FetchedBytes> unusedCancelled =
        tracked.whenComplete(
            (bytes, failure) -> {
              if (tracked.isCancelled()) {
                answer.cancel(false);
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
    public void left(int count) {
      bytes.left(count);
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
