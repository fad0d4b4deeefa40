package io.sluice.transport.server;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.proto.Fetch;
import io.sluice.proto.Hello;
import io.sluice.proto.HelloReply;
import io.sluice.proto.Open;
import io.sluice.proto.OpenReply;
import io.sluice.proto.Push;
import io.sluice.proto.PushAck;
import io.sluice.proto.Range;
import io.sluice.transport.protocol.ConnectionGuard;
import io.sluice.transport.protocol.FrameLimits;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * A service that replies immediately and counts the unsent bytes of its replies. Confined to one
 * thread.
 */
final class FakeService implements DataService {
  private final RequestMemory requestMemory;
  private final List<CountedBytes> fetched = new ArrayList<>();
  private CountedBytes next;
  private final List<CompletableFuture<OpenReply>> waitingOpens = new ArrayList<>();

  FakeService(RequestMemory requestMemory) {
    this.requestMemory = requestMemory;
  }

  /** Unsent bytes of all fetches. */
  long unsentBytes() {
    return fetched.stream().mapToLong(CountedBytes::unsentBytes).sum();
  }

  int fetches() {
    return fetched.size();
  }

  /**
   * Sets the reply to the next fetch.
   *
   * @param bytes takes ownership
   */
  void answerNext(CountedBytes bytes) {
    next = bytes;
  }

  /** Pending Opens with a wait. */
  List<CompletableFuture<OpenReply>> waitingOpens() {
    return waitingOpens;
  }

  @Override
  public long epoch() {
    return 7;
  }

  @Override
  public FrameLimits limits() {
    return FrameLimits.DEFAULT;
  }

  @Override
  public ConnectionGuard guard() {
    return ConnectionGuard.OPEN;
  }

  @Override
  public BodyMemory bodyMemory() {
    return new BodyMemory() {
      @Override
      public ByteBuf tryAllocate(String application, int length) {
        return Unpooled.directBuffer(length, length);
      }

      @Override
      public Runnable whenAvailable(String application, int length, Runnable retry) {
        throw new UnsupportedOperationException("memory is always available");
      }

      @Override
      public int usedPermille() {
        return 0;
      }
    };
  }

  @Override
  public RequestMemory requestMemory() {
    return requestMemory;
  }

  @Override
  public HelloReply hello(Hello hello) {
    return HelloReply.newBuilder().setEpoch(7).build();
  }

  @Override
  public PushAck push(ClientConnection connection, Push push, ByteBuf body) {
    body.release();
    return PushAck.newBuilder().setEpoch(7).build();
  }

  @Override
  public CompletionStage<OpenReply> open(ClientConnection connection, Open open) {
    CompletableFuture<OpenReply> answer = new CompletableFuture<>();
    if (open.getMaxWaitMs() > 0) {
      waitingOpens.add(answer);
    } else {
      answer.complete(OpenReply.newBuilder().setEpoch(7).build());
    }
    return answer;
  }

  /** Zero bytes in memory with the length of the ranges, unless {@link #answerNext} was called. */
  @Override
  public CompletableFuture<FetchedBytes> fetch(ClientConnection connection, Fetch fetch) {
    CountedBytes bytes = next == null ? new CountedBytes() : next;
    if (next == null) {
      for (Range range : fetch.getRangesList()) {
        int length = (int) range.getLength();
        bytes.add(Unpooled.directBuffer(length).writeZero(length));
      }
    }
    next = null;
    fetched.add(bytes);
    return CompletableFuture.completedFuture(bytes);
  }
}
