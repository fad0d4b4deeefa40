package io.sluice.cli.bench;

import io.netty.buffer.ByteBuf;
import io.sluice.proto.Fetch;
import io.sluice.proto.FetchReply;
import io.sluice.proto.Open;
import io.sluice.proto.OpenReply;
import io.sluice.proto.Push;
import io.sluice.proto.PushAck;
import io.sluice.transport.client.DataConnection;
import io.sluice.transport.client.FetchedBody;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;

/** Records pushes, and answers opens and fetches with prepared replies. Not thread-safe. */
final class FakeConnection implements DataConnection {
  final List<ByteBuf> pushed = new ArrayList<>();
  final List<Open> opened = new ArrayList<>();
  final Queue<OpenReply> openReplies = new ArrayDeque<>();
  final Queue<ByteBuf> fetchReplies = new ArrayDeque<>();

  @Override
  public long epoch() {
    return 7;
  }

  @Override
  public long wholeSinceEpoch() {
    return 7;
  }

  @Override
  public int maxBodyLength() {
    return 1 << 20;
  }

  @Override
  public CompletableFuture<PushAck> push(Push push, ByteBuf body) {
    pushed.add(body);
    return CompletableFuture.completedFuture(PushAck.getDefaultInstance());
  }

  @Override
  public CompletableFuture<OpenReply> open(Open open) {
    opened.add(open);
    return CompletableFuture.completedFuture(openReplies.remove());
  }

  @Override
  public CompletableFuture<FetchedBody> fetch(Fetch fetch) {
    return CompletableFuture.completedFuture(
        new FetchedBody(FetchReply.getDefaultInstance(), fetchReplies.remove()));
  }

  @Override
  public boolean isOpen() {
    return true;
  }

  @Override
  public void close() {
    pushed.forEach(ByteBuf::release);
    pushed.clear();
  }
}
