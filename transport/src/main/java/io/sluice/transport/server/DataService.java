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
 * The semantics of the data protocol ({@code docs/protocol.md}), called by every transport.
 * Thread-safe. No method blocks: {@link #push} takes microseconds and may run on an event loop,
 * {@link #open} and {@link #fetch} answer later. A {@link SluiceException}, thrown or completing a
 * stage, becomes an ERROR frame.
 */
public interface DataService {
  /** Epoch of this life of the server. */
  long epoch();

  FrameLimits limits();

  /** Before whom a connection proves its application. */
  ConnectionGuard guard();

  /** Where transports receive bodies of PUSH frames into. */
  BodyMemory bodyMemory();

  /**
   * Where transports count heads and replies to Open, and before which they ask whether an
   * application may begin another request.
   */
  RequestMemory requestMemory();

  /**
   * What this server tells a client that says HELLO. The transport adds the protocol's version and
   * proof.
   *
   * @throws SluiceException BAD_REQUEST (application id)
   */
  HelloReply hello(Hello hello) throws SluiceException;

  /**
   * Whether a push would be refused whatever its body is. A transport asks when it has read the
   * head, and again while it waits for memory: then it drains the body without taking memory for
   * it.
   *
   * @param bodyLength as the frame's header says
   * @throws SluiceException STALE_EPOCH, EXPIRED, DRAINING, LEAVING, DENIED, BAD_REQUEST, NO_SPACE,
   *     FRAME_TOO_LARGE
   */
  default void checkPush(ClientConnection connection, Push push, int bodyLength)
      throws SluiceException {}

  /**
   * Verifies the blocks of a body and appends them to their partitions.
   *
   * @param body takes: from {@link #bodyMemory}, wholly written; released by the service in every
   *     case
   * @throws SluiceException BLOCK_CORRUPT (nothing of the frame was stored), STALE_EPOCH, EXPIRED,
   *     DRAINING, LEAVING, DENIED, BAD_REQUEST, BUSY
   */
  PushAck push(ClientConnection connection, Push push, ByteBuf body) throws SluiceException;

  /** Says what there is of some partitions, after a bounded wait if the request asks for one. */
  CompletionStage<OpenReply> open(ClientConnection connection, Open open);

  /**
   * Finds the bytes of some ranges and makes them ready to be sent, at once or later. Cancelling
   * the result gives the fetch up.
   *
   * @return owned by who takes it from the stage; fails with SluiceException STALE_EPOCH, EXPIRED,
   *     NEVER_WRITTEN, LOST, OUT_OF_RANGE, BAD_REQUEST, STORAGE_FAILED, BUSY
   */
  CompletableFuture<FetchedBytes> fetch(ClientConnection connection, Fetch fetch);
}
