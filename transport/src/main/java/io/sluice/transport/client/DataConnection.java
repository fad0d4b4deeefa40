package io.sluice.transport.client;

import io.netty.buffer.ByteBuf;
import io.sluice.common.auth.ApplicationCredential;
import io.sluice.proto.Fetch;
import io.sluice.proto.Open;
import io.sluice.proto.OpenReply;
import io.sluice.proto.Push;
import io.sluice.proto.PushAck;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * An open connection after the handshake. Thread-safe; requests are pipelined. Replies complete on
 * a transport thread. A request fails with {@link io.sluice.common.error.SluiceException} if the
 * server replies ERROR, and with {@link ConnectionLostException} if the connection ends or the
 * request timeout expires before the reply. When the token of the connection expires, the server
 * closes it, and every pending request fails with a SluiceException TOKEN_EXPIRED. Every request
 * completes exactly once.
 */
public interface DataConnection extends AutoCloseable {
  /** Epoch of the server at the handshake; a restarted server never replies on this connection. */
  long epoch();

  /**
   * The oldest epoch of the server whose acknowledged data is complete: {@link #epoch}, unless the
   * server was stopped cleanly before.
   */
  long wholeSinceEpoch();

  /** Path of the socket that provides run files to local clients; empty: none. */
  default String localSocket() {
    return "";
  }

  /** The credential of this connection; empty if it is not authenticated. */
  default Optional<ApplicationCredential> credential() {
    return Optional.empty();
  }

  /** Maximum length of a body that the server accepts, in bytes. */
  int maxBodyLength();

  /**
   * Sends blocks.
   *
   * @param body takes ownership; complete sealed blocks without gaps, the blocks of one partition
   *     adjacent; released when written or discarded
   */
  CompletableFuture<PushAck> push(Push push, ByteBuf body);

  CompletableFuture<OpenReply> open(Open open);

  /**
   * Fetches ranges. The caller owns the result of the future and closes it.
   *
   * <p>If the future is cancelled before the reply arrives, the reply is freed on arrival. If
   * {@code cancel} returns false, the reply has arrived and the caller must close it. Cancel this
   * future, not a stage derived from it: the function of a cancelled stage is never called, so that
   * it could not close the result.
   */
  CompletableFuture<FetchedBody> fetch(Fetch fetch);

  boolean isOpen();

  /**
   * Ends the connection; pending requests fail with {@link ConnectionLostException}. Idempotent.
   */
  @Override
  void close();
}
