package io.sluice.server;

import io.netty.buffer.ByteBuf;
import io.sluice.common.auth.ConnectionGuard;
import io.sluice.common.error.SluiceException;
import io.sluice.common.frame.FrameLimits;
import io.sluice.proto.Fetch;
import io.sluice.proto.Hello;
import io.sluice.proto.HelloReply;
import io.sluice.proto.Open;
import io.sluice.proto.OpenReply;
import io.sluice.proto.Push;
import io.sluice.proto.PushAck;
import io.sluice.server.memory.BodyMemory;
import io.sluice.server.metrics.Latencies;
import io.sluice.server.service.ClientConnection;
import io.sluice.server.service.DataService;
import io.sluice.server.service.FetchedBytes;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.LongSupplier;

/** A service whose answers are timed, once per frame. Thread-safe. */
final class TimedDataService implements DataService {
  private final DataService service;
  private final Latencies latencies;
  private final LongSupplier nanoTime;

  TimedDataService(DataService service, Latencies latencies, LongSupplier nanoTime) {
    this.service = service;
    this.latencies = latencies;
    this.nanoTime = nanoTime;
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
    // Nobody knows it any more when the push has taken the body.
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
    CompletionStage<OpenReply> answer = service.open(connection, open);
    CompletionStage<OpenReply> unused =
        answer.whenComplete(
            (reply, failure) -> latencies.opened(nanoTime.getAsLong() - startNanos));
    return answer;
  }

  @Override
  public CompletableFuture<FetchedBytes> fetch(ClientConnection connection, Fetch fetch) {
    long startNanos = nanoTime.getAsLong();
    CompletableFuture<FetchedBytes> answer = service.fetch(connection, fetch);
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
