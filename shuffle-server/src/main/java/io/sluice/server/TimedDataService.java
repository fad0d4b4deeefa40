package io.sluice.server;

import io.netty.buffer.ByteBuf;
import io.sluice.common.error.SluiceException;
import io.sluice.proto.Fetch;
import io.sluice.proto.Open;
import io.sluice.proto.OpenReply;
import io.sluice.proto.Push;
import io.sluice.proto.PushAck;
import io.sluice.server.metrics.Latencies;
import io.sluice.server.service.ClientConnection;
import io.sluice.server.service.DataService;
import io.sluice.server.service.FetchedBytes;
import io.sluice.server.service.ForwardingDataService;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.LongSupplier;

/** A service whose answers are timed, once per frame. Thread-safe. */
final class TimedDataService extends ForwardingDataService {
  private final Latencies latencies;
  private final LongSupplier nanoTime;

  TimedDataService(DataService service, Latencies latencies, LongSupplier nanoTime) {
    super(service);
    this.latencies = latencies;
    this.nanoTime = nanoTime;
  }

  @Override
  public PushAck push(ClientConnection connection, Push push, ByteBuf body) throws SluiceException {
    long startNanos = nanoTime.getAsLong();
    // Nobody knows it any more when the push has taken the body.
    int length = body.readableBytes();
    try {
      return super.push(connection, push, body);
    } finally {
      latencies.pushed(nanoTime.getAsLong() - startNanos, length);
    }
  }

  @Override
  public CompletionStage<OpenReply> open(ClientConnection connection, Open open) {
    long startNanos = nanoTime.getAsLong();
    CompletionStage<OpenReply> answer = super.open(connection, open);
    CompletionStage<OpenReply> unused =
        answer.whenComplete(
            (reply, failure) -> latencies.opened(nanoTime.getAsLong() - startNanos));
    return answer;
  }

  @Override
  public CompletableFuture<FetchedBytes> fetch(ClientConnection connection, Fetch fetch) {
    long startNanos = nanoTime.getAsLong();
    CompletableFuture<FetchedBytes> answer = super.fetch(connection, fetch);
    CompletableFuture<FetchedBytes> unused =
        answer.whenComplete(
            (bytes, failure) -> {
              if (bytes != null) {
                latencies.fetched(nanoTime.getAsLong() - startNanos, bytes.length());
              }
            });
    return answer;
  }
}
