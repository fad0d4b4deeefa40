package io.sluice.transport.client;

import io.netty.buffer.ByteBuf;
import io.sluice.proto.Fetch;
import io.sluice.proto.Open;
import io.sluice.proto.OpenReply;
import io.sluice.proto.Push;
import io.sluice.proto.PushAck;
import java.util.concurrent.CompletableFuture;

/**
 * A connection that has said HELLO. Thread-safe; requests are pipelined. A reply is completed on a
 * transport thread. A request fails with {@link io.sluice.common.error.SluiceException} when the
 * server answers ERROR, with {@link ConnectionLostException} when the connection ends or stays
 * silent past its request timeout before the reply. A request completes exactly once, whatever
 * happens.
 */
public interface DataConnection extends AutoCloseable {
  /** Epoch of the server as of HELLO; a restarted server never answers on this connection. */
  long epoch();

  /**
   * The oldest epoch of the server of which nothing acknowledged is missing: {@link #epoch} unless
   * it was stopped cleanly in between.
   */
  long wholeSinceEpoch();

  /** Where the server hands out its run files on its own host; empty: nowhere. */
  default String localSocket() {
    return "";
  }

  /** Largest body that the server takes, in bytes. */
  int maxBodyLength();

  /**
   * Sends blocks.
   *
   * @param body takes: whole sealed blocks back to back, those of one partition adjacent; released
   *     once written or given up
   */
  CompletableFuture<PushAck> push(Push push, ByteBuf body);

  CompletableFuture<OpenReply> open(Open open);

  /**
   * Asks for ranges. The result is owned by whoever takes it from the future, who closes it.
   *
   * <p>Cancelling the future gives up a reply that is still to come: it is freed on arrival. One
   * that has come stays the caller's: when {@code cancel} answers false, the result is there to be
   * taken and closed. Cancel this future and not a stage derived from it, which would keep the
   * stage's function, and with it whoever closes the result, from ever being called.
   */
  CompletableFuture<FetchedBody> fetch(Fetch fetch);

  boolean isOpen();

  /**
   * Ends the connection; pending requests fail with {@link ConnectionLostException}. Idempotent.
   */
  @Override
  void close();
}
