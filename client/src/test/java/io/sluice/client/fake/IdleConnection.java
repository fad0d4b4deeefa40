package io.sluice.client.fake;

import io.netty.buffer.ByteBuf;
import io.sluice.proto.Fetch;
import io.sluice.proto.Open;
import io.sluice.proto.OpenReply;
import io.sluice.proto.Push;
import io.sluice.proto.PushAck;
import io.sluice.transport.client.DataConnection;
import io.sluice.transport.client.FetchedBody;
import java.util.concurrent.CompletableFuture;

/** An open connection that supports no request; tests override what they need. */
public interface IdleConnection extends DataConnection {
  @Override
  default int maxBodyLength() {
    return 1 << 20;
  }

  @Override
  default CompletableFuture<PushAck> push(Push push, ByteBuf body) {
    throw new UnsupportedOperationException();
  }

  @Override
  default CompletableFuture<OpenReply> open(Open open) {
    throw new UnsupportedOperationException();
  }

  @Override
  default CompletableFuture<FetchedBody> fetch(Fetch fetch) {
    throw new UnsupportedOperationException();
  }

  @Override
  default boolean isOpen() {
    return true;
  }

  @Override
  default void close() {}
}
