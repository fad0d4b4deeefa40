package io.sluice.transport.server;

import io.netty.buffer.ByteBuf;
import io.sluice.common.error.SluiceException;
import io.sluice.proto.Fetch;
import io.sluice.proto.Hello;
import io.sluice.proto.HelloReply;
import io.sluice.proto.Open;
import io.sluice.proto.OpenReply;
import io.sluice.proto.Push;
import io.sluice.proto.PushAck;
import io.sluice.transport.protocol.ConnectionGuard;
import io.sluice.transport.protocol.FrameLimits;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * The operations of the data protocol ({@code docs/protocol.md}), called by every transport.
 * Thread-safe. No method blocks: {@link #push} takes microseconds and may run on an event loop,
 * {@link #open} and {@link #fetch} are asynchronous. A {@link SluiceException}, thrown or
 * completing a stage, becomes an ERROR frame.
 */
public interface DataService {
  /** Epoch of this server process. */
  long epoch();

  FrameLimits limits();

  /** Authenticates connections. */
  ConnectionGuard guard();

  /** Memory for the bodies of PUSH frames. */
  BodyMemory bodyMemory();

  /** Budget of heads and replies to Open, checked before a request is received. */
  RequestMemory requestMemory();

  /**
   * Reply to a client's HELLO. The transport adds the protocol version and the proof.
   *
   * @throws SluiceException BAD_REQUEST (application id)
   */
  HelloReply hello(Hello hello) throws SluiceException;

  /**
   * Checks a push before its body is received. A transport calls this method when it has read the
   * head, and again while it waits for memory. If the push is refused, its body is discarded
   * without allocating memory.
   *
   * @param bodyLength length of the body according to the frame's header
   * @throws SluiceException STALE_EPOCH, EXPIRED, DRAINING, LEAVING, DENIED, BAD_REQUEST, NO_SPACE,
   *     FRAME_TOO_LARGE
   */
  default void checkPush(ClientConnection connection, Push push, int bodyLength)
      throws SluiceException {}

  /**
   * Verifies the blocks of a body and appends them to their partitions.
   *
   * @param body takes ownership; from {@link #bodyMemory}, completely written; always released by
   *     the service
   * @throws SluiceException BLOCK_CORRUPT (nothing of the frame was stored), STALE_EPOCH, EXPIRED,
   *     DRAINING, LEAVING, DENIED, BAD_REQUEST, BUSY
   */
  PushAck push(ClientConnection connection, Push push, ByteBuf body) throws SluiceException;

  /**
   * Returns the stored blocks of some partitions, after a bounded wait if the request asks for one.
   */
  CompletionStage<OpenReply> open(ClientConnection connection, Open open);

  /**
   * Reads ranges of stored bytes. Cancelling the result cancels the fetch.
   *
   * @return the caller owns the result; fails with SluiceException STALE_EPOCH, EXPIRED,
   *     NEVER_WRITTEN, LOST, OUT_OF_RANGE, BAD_REQUEST, STORAGE_FAILED, BUSY
   */
  CompletableFuture<FetchedBytes> fetch(ClientConnection connection, Fetch fetch);
}
