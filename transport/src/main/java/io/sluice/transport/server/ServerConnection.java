package io.sluice.transport.server;

import com.google.protobuf.Message;
import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.sluice.common.error.PeerText;
import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import io.sluice.common.error.UnexpectedFailure;
import io.sluice.common.net.LimitReached;
import io.sluice.proto.Error;
import io.sluice.proto.Fetch;
import io.sluice.proto.Hello;
import io.sluice.proto.HelloChallenge;
import io.sluice.proto.HelloProof;
import io.sluice.proto.HelloReply;
import io.sluice.proto.Open;
import io.sluice.proto.OpenReply;
import io.sluice.proto.Push;
import io.sluice.transport.protocol.FrameFormatException;
import io.sluice.transport.protocol.FrameHeader;
import io.sluice.transport.protocol.FrameHeads;
import io.sluice.transport.protocol.FrameLimits;
import io.sluice.transport.protocol.FrameType;
import io.sluice.transport.protocol.ServerHandshake;
import io.sluice.transport.server.TransportCounters.Denial;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The connection of one client: the handshake, then requests, each with one call of the service and
 * one reply. Confined to the connection's executor.
 *
 * <p>After a refused request the connection stays usable. After a protocol error the reply is ERROR
 * and the connection is closed.
 *
 * <p>Frames are not received while the client does not read its replies ({@link
 * TransportConnection#isWritable}) or has too many pending requests. An OPEN or FETCH, including
 * its head, is received only while its application has room in the {@link RequestMemory}; a body
 * only when memory for it is available. Except for a few kilobytes, all memory of a connection is
 * therefore counted: heads, pending requests and replies to OPEN in the request memory, bodies in
 * the memory of blocks, replies to FETCH in the read budget.
 */
final class ServerConnection {
  private static final Logger LOG = LoggerFactory.getLogger(ServerConnection.class);

  /** Limits of unauthenticated clients: a HELLO has only a name and an application id. */
  static final FrameLimits HELLO_LIMITS = new FrameLimits(4 << 10, 1 << 10);

  /** Request id of an ERROR that concerns the connection as a whole. */
  private static final long CONNECTION = 0;

  /** Maximum length of the message of an ERROR, in characters. */
  private static final int MAX_MESSAGE_LENGTH = 1_000;

  private final DataService service;
  private final DataTransportConfig config;
  private final TransportCounters counters;
  private final TransportConnection transport;

  private final ServerHandshake handshake = new ServerHandshake();

  /** Null until the handshake is finished. */
  private ClientConnection client;

  private Push push;
  // Keyed by a token object, because a peer may use a request id twice.
  private final Map<Object, CompletableFuture<FetchedBytes>> pendingFetches = new HashMap<>();
  private int pendingOpens;

  /** Whether the client's proof is being verified; no frame is received meanwhile. */
  private boolean verifying;

  // Counted bytes of the head being received or in use.
  private long headBytes;
  private Runnable cancelWait;
  private boolean closing;

  /** Whether the connection is no longer counted for its application. */
  private boolean uncounted;

  ServerConnection(
      DataService service,
      DataTransportConfig config,
      TransportCounters counters,
      TransportConnection transport) {
    this.service = service;
    this.config = config;
    this.counters = counters;
    this.transport = transport;
  }

  /** Whether the handshake is complete. */
  boolean isHandshakeDone() {
    return client != null;
  }

  /**
   * Decides about a frame before its head is received.
   *
   * @return whether to receive the head now; otherwise the receiver is notified later
   */
  boolean onHeader(FrameHeader header) {
    if (closing) {
      return false;
    }
    if (client == null && header.type() != handshake.expected()) {
      refuseType(header, String.valueOf(handshake.expected()));
      return false;
    }
    if (client == null) {
      return true;
    }
    return switch (header.type()) {
      case PUSH -> checkToken();
      case OPEN, FETCH -> checkToken() && admitRequest(header);
      case HELLO, HELLO_REPLY, PUSH_ACK, OPEN_REPLY, FETCH_REPLY, ERROR, CHALLENGE, PROOF -> {
        refuseType(header, "PUSH, OPEN or FETCH");
        yield false;
      }
    };
  }

  /**
   * Closes the connection if its token has expired or is revoked. The error has no request id, so
   * that it ends all pending requests of the client.
   *
   * @return whether the token is valid; true before the handshake is complete
   */
  boolean checkToken() {
    if (client == null || closing) {
      return !closing;
    }
    try {
      handshake.checkToken();
      return true;
    } catch (SluiceException e) {
      if (e.code() == StatusCode.TOKEN_EXPIRED) {
        LOG.debug("data connection closed, its token has expired peer={}", transport.peer());
      } else {
        counters.denied(Denial.PROOF, transport.peer(), client.application(), e.getMessage());
      }
      refuse(CONNECTION, e);
      closing = true;
      transport.closeAfterSending();
      return false;
    }
  }

  private void refuseType(FrameHeader header, String expected) {
    refuseConnection(
        header.requestId(),
        new SluiceException(
            StatusCode.BAD_MESSAGE,
            "frame " + header.type() + " is not allowed here, expected " + expected));
  }

  /** Counts a request's head if the application has room, or waits without reading. */
  private boolean admitRequest(FrameHeader header) {
    RequestMemory memory = service.requestMemory();
    if (!memory.hasRoom(client.application())) {
      if (cancelWait == null) {
        counters.paused();
      }
      cancelWait =
          memory.whenRoom(
              client.application(),
              () -> transport.execute(() -> admitRequestAgain(header), memory::skip));
      return false;
    }
    endWait();
    headBytes = FrameHeads.parsedBytes(header.type(), header.headLength()) + FrameHeader.LENGTH;
    memory.reserve(client.application(), headBytes);
    return true;
  }

  private void admitRequestAgain(FrameHeader header) {
    if (closing) {
      service.requestMemory().skip();
    } else if (admitRequest(header)) {
      transport.receiver().receiveHead();
    }
  }

  /** Ends a wait for memory. */
  private void endWait() {
    if (cancelWait != null) {
      cancelWait.run();
      cancelWait = null;
      counters.resumed();
    }
  }

  /** The head is no longer in use. */
  private void releaseHead() {
    if (headBytes > 0) {
      long bytes = headBytes;
      headBytes = 0;
      service.requestMemory().release(client.application(), bytes);
    }
  }

  /**
   * @param frame borrowed; header and head. If the frame has a body, the receiver is instructed to
   *     receive or discard it, now or later
   */
  void onHead(FrameHeader header, ByteBuf frame) {
    try {
      onWholeHead(header, frame);
    } finally {
      releaseHead();
    }
  }

  private void onWholeHead(FrameHeader header, ByteBuf frame) {
    if (closing) {
      return;
    }
    try {
      if (client == null) {
        hello(header, frame);
        return;
      }
      switch (header.type()) {
        case PUSH -> {
          push = parse(Push.parser(), header, frame);
          if (header.bodyLength() == 0) {
            onBody(header, Unpooled.EMPTY_BUFFER);
          } else {
            admit(header);
          }
        }
        case OPEN -> open(header.requestId(), parse(Open.parser(), header, frame));
        case FETCH -> fetch(header.requestId(), parse(Fetch.parser(), header, frame));
        case HELLO, HELLO_REPLY, PUSH_ACK, OPEN_REPLY, FETCH_REPLY, ERROR, CHALLENGE, PROOF ->
            throw new IllegalStateException(
                "internal error: accepted the header of a " + header.type());
      }
    } catch (FrameFormatException e) {
      refuseConnection(header.requestId(), e);
    }
    updateReading();
  }

  private void hello(FrameHeader header, ByteBuf frame) throws FrameFormatException {
    try {
      if (handshake.expected() == FrameType.PROOF) {
        verify(header, handshake.onProof(parse(HelloProof.parser(), header, frame)));
        return;
      }
      Optional<HelloChallenge> challenge =
          handshake.onHello(parse(Hello.parser(), header, frame), service.guard(), service::hello);
      if (challenge.isPresent()) {
        answer(FrameType.CHALLENGE, header.requestId(), challenge.get());
      } else {
        completeHandshake(header.requestId());
      }
    } catch (FrameFormatException e) {
      throw e;
    } catch (SluiceException e) {
      refuseHandshake(header, e);
    } catch (RuntimeException e) {
      refuseHandshake(header, bug(header.type(), e));
    }
  }

  /** Verifies the client's proof on another thread. */
  private void verify(FrameHeader header, Callable<HelloReply> verification) {
    verifying = true;
    service
        .guard()
        .verify(
            verification,
            (reply, refusal) ->
                transport.execute(() -> verified(header, reply, refusal), () -> {}));
  }

  private void verified(FrameHeader header, HelloReply reply, SluiceException refusal) {
    verifying = false;
    if (closing) {
      return;
    }
    try {
      if (refusal != null) {
        throw refusal;
      }
      handshake.onProved(reply);
      completeHandshake(header.requestId());
    } catch (SluiceException e) {
      refuseHandshake(header, e);
    }
    updateReading();
  }

  /** Sends the reason and closes the connection. */
  private void refuseHandshake(FrameHeader header, SluiceException refusal) {
    if (refusal.code() == StatusCode.DENIED) {
      counters.denied(Denial.PROOF, transport.peer(), "", refusal.getMessage());
      LOG.debug(
          "data connection denied peer={} reason=\"{}\"", transport.peer(), refusal.getMessage());
    }
    refuse(header.requestId(), refusal);
    closing = true;
    transport.closeAfterSending();
  }

  private void completeHandshake(long requestId) throws SluiceException {
    Hello hello = handshake.hello();
    String application = hello.getApplication();
    if (!counters.applicationOpened(config, application)) {
      String reason =
          LimitReached.of(
              "of application " + application,
              config.maxConnectionsPerApplication(),
              DataTransportConfig.MAX_CONNECTIONS_PER_APPLICATION.name());
      counters.denied(Denial.APPLICATION, transport.peer(), application, reason);
      throw new SluiceException(StatusCode.BUSY, reason);
    }
    client =
        new ClientConnection(
            application, hello.getClient(), transport.peer(), transport.copyBytes());
    transport.limits(service.limits());
    answer(FrameType.HELLO_REPLY, requestId, handshake.reply());
  }

  /** Allocates memory for the body, or waits for it without reading. */
  private void admit(FrameHeader header) {
    if (closing) {
      return;
    }
    BodyMemory memory = service.bodyMemory();
    ByteBuf target;
    try {
      service.checkPush(client, push, header.bodyLength());
      target = memory.tryAllocate(client.application(), header.bodyLength());
    } catch (SluiceException e) {
      refusePush(header, e);
      return;
    } catch (IllegalArgumentException e) {
      refusePush(header, new SluiceException(StatusCode.FRAME_TOO_LARGE, e.getMessage()));
      return;
    }
    if (target != null) {
      if (cancelWait != null) {
        cancelWait = null;
        counters.resumed();
      }
      transport.receiver().receiveBody(target);
      return;
    }
    if (cancelWait == null) {
      counters.paused();
    }
    cancelWait =
        memory.whenAvailable(
            client.application(),
            header.bodyLength(),
            () -> transport.execute(() -> admit(header), () -> {}));
  }

  /** Refuses a push before its body is received; the body is read and dropped. */
  private void refusePush(FrameHeader header, SluiceException reason) {
    push = null;
    endWait();
    refuse(header.requestId(), reason);
    transport.receiver().discardBody();
  }

  /**
   * @param body takes ownership
   */
  void onBody(FrameHeader header, ByteBuf body) {
    Push head = push;
    push = null;
    if (closing) {
      body.release();
      return;
    }
    counters.pushed(body.readableBytes());
    try {
      answer(FrameType.PUSH_ACK, header.requestId(), service.push(client, head, body));
    } catch (SluiceException e) {
      refuse(header.requestId(), e);
    } catch (RuntimeException e) {
      refuse(header.requestId(), bug(header.type(), e));
    }
    updateReading();
  }

  private void open(long requestId, Open open) {
    pendingOpens++;
    try {
      service
          .open(client, open)
          .whenComplete(
              (reply, failure) ->
                  transport.execute(() -> opened(requestId, reply, failure), () -> {}));
    } catch (RuntimeException e) {
      opened(requestId, null, e);
    }
  }

  private void opened(long requestId, OpenReply reply, Throwable failure) {
    pendingOpens--;
    if (closing) {
      return;
    }
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
    if (cause == null) {
      answerOpen(requestId, reply);
    } else if (cause instanceof SluiceException refusal) {
      refuse(requestId, refusal);
    } else {
      refuse(requestId, bug(FrameType.OPEN, cause));
    }
    updateReading();
  }

  private void answerOpen(long requestId, OpenReply reply) {
    ByteBuf frame =
        FrameHeads.encode(transport.allocator(), FrameType.OPEN_REPLY, requestId, reply, 0);
    RequestMemory memory = service.requestMemory();
    String application = client.application();
    long bytes = frame.readableBytes();
    memory.reserve(application, bytes);
    transport.send(frame, () -> memory.release(application, bytes));
  }

  private void fetch(long requestId, Fetch fetch) {
    CompletableFuture<FetchedBytes> answer;
    try {
      answer = service.fetch(client, fetch);
    } catch (RuntimeException e) {
      refuse(requestId, bug(FrameType.FETCH, e));
      return;
    }
    if (answer.isDone()) {
      // The usual case: no need for another task.
      fetched(requestId, answer);
      return;
    }
    Object token = new Object();
    pendingFetches.put(token, answer);
    CompletableFuture<FetchedBytes> unused =
        answer.whenComplete(
            (bytes, failure) ->
                transport.execute(
                    () -> {
                      pendingFetches.remove(token);
                      fetched(requestId, answer);
                      updateReading();
                    },
                    () -> closeUnsent(answer)));
  }

  /**
   * @param answer completed result
   */
  private void fetched(long requestId, CompletableFuture<FetchedBytes> answer) {
    if (closing) {
      closeUnsent(answer);
      return;
    }
    FetchedBytes bytes;
    try {
      bytes = answer.join();
    } catch (CompletionException e) {
      refuse(
          requestId,
          e.getCause() instanceof SluiceException refusal
              ? refusal
              : bug(FrameType.FETCH, e.getCause()));
      return;
    }
    counters.fetched(bytes.length());
    transport.send(
        FrameHeads.encode(
            transport.allocator(), FrameType.FETCH_REPLY, requestId, bytes.head(), bytes.length()),
        bytes);
  }

  private static void closeUnsent(CompletableFuture<FetchedBytes> answer) {
    if (!answer.isCompletedExceptionally()) {
      answer.join().close();
    }
  }

  /** Received bytes that are not a frame. */
  void onMalformed(long requestId, FrameFormatException problem) {
    if (!closing) {
      refuseConnection(requestId, problem);
    }
  }

  /** The writability of the transport has changed. */
  void onWritabilityChanged() {
    updateReading();
  }

  /** The connection has ended, for any reason. */
  void onClosed() {
    closing = true;
    if (client != null && !uncounted) {
      uncounted = true;
      counters.applicationClosed(client.application());
    }
    endWait();
    releaseHead();
    // Reads that have not started are not needed.
    List.copyOf(pendingFetches.values()).forEach(fetch -> fetch.cancel(false));
    pendingFetches.clear();
  }

  /** Ends a connection after a timeout. */
  void onTimeout(String what) {
    if (!closing) {
      counters.timedOut();
      if (isHandshakeDone()) {
        LOG.info("data connection timed out peer={} waitedFor=\"{}\"", transport.peer(), what);
      } else {
        LOG.debug(
            "connection closed before its handshake was complete peer={} waitedFor=\"{}\"",
            transport.peer(),
            what);
      }
      closing = true;
    }
  }

  private void updateReading() {
    int pending = pendingOpens + pendingFetches.size();
    boolean wanted =
        closing || (!verifying && pending < config.maxPendingRequests() && transport.isWritable());
    transport.receiver().paused(!wanted);
  }

  private void answer(FrameType type, long requestId, MessageLite head) {
    transport.send(FrameHeads.encode(transport.allocator(), type, requestId, head, 0));
  }

  private void refuse(long requestId, SluiceException refusal) {
    answer(
        FrameType.ERROR,
        requestId,
        Error.newBuilder()
            .setStatus(refusal.code().wire())
            .setMessage(PeerText.clipped(String.valueOf(refusal.getMessage()), MAX_MESSAGE_LENGTH))
            .setEpoch(service.epoch())
            .setMemoryUsedPermille(service.bodyMemory().usedPermille())
            .build());
  }

  private void refuseConnection(long requestId, SluiceException problem) {
    counters.protocolError();
    LOG.debug(
        "data connection refused peer={} code={} reason=\"{}\"",
        transport.peer(),
        problem.code(),
        problem.getMessage());
    refuse(requestId, problem);
    closing = true;
    transport.closeAfterSending();
  }

  /**
   * The ERROR for a connection beyond the limits, sent before its HELLO is read. The caller owns
   * the buffer.
   */
  static ByteBuf tooManyConnections(
      ByteBufAllocator allocator, DataService service, String reason) {
    return FrameHeads.encode(
        allocator,
        FrameType.ERROR,
        CONNECTION,
        Error.newBuilder()
            .setStatus(StatusCode.BUSY.wire())
            .setMessage(reason)
            .setEpoch(service.epoch())
            .setMemoryUsedPermille(service.bodyMemory().usedPermille())
            .build(),
        0);
  }

  private SluiceException bug(FrameType type, Throwable failure) {
    return UnexpectedFailure.logged(LOG, type.name(), transport.peer(), failure);
  }

  private static <T extends Message> T parse(Parser<T> parser, FrameHeader header, ByteBuf frame)
      throws FrameFormatException {
    return FrameHeads.parse(parser, header.type(), frame, FrameHeader.LENGTH, header.headLength());
  }
}
