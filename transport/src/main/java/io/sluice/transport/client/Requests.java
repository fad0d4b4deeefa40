package io.sluice.transport.client;

import com.google.protobuf.Message;
import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import io.sluice.proto.Error;
import io.sluice.proto.FetchReply;
import io.sluice.transport.protocol.FrameHeader;
import io.sluice.transport.protocol.FrameHeads;
import io.sluice.transport.protocol.FrameType;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiFunction;
import java.util.function.LongSupplier;

/**
 * Pending requests of one connection. Thread-safe: requests are added by any thread, replies and
 * failures are reported by the connection's thread. The thread that removes a request from the
 * table completes it, so each request completes exactly once.
 */
final class Requests {
  /** Request id of an ERROR that concerns the connection as a whole. */
  private static final long CONNECTION = 0;

  private final String server;
  private final LongSupplier nanoTime;
  private final AtomicLong lastId = new AtomicLong(CONNECTION);
  private final Map<Long, Waiting<?, ?>> waiting = new ConcurrentHashMap<>();
  private final AtomicReference<Throwable> ended = new AtomicReference<>();

  /**
   * @param server name of the server for messages
   */
  Requests(String server, LongSupplier nanoTime) {
    this.server = server;
    this.nanoTime = nanoTime;
  }

  /**
   * @param bodyLength expected length of the reply's body in bytes
   * @param result creates the result from the reply's head and body; takes ownership of the body,
   *     which may be null
   */
  private record Waiting<H extends Message, T>(
      FrameType reply,
      Parser<H> parser,
      int bodyLength,
      long deadlineNanos,
      CompletableFuture<T> future,
      BiFunction<H, ByteBuf, T> result) {
    @SuppressWarnings("unchecked") // The parser of this request parsed the head.
    void complete(MessageLite head, ByteBuf body) {
      T value = result.apply((H) head, body);
      if (!future.complete(value) && value instanceof FetchedBody unused) {
        // The caller had cancelled the future.
        unused.close();
      }
    }
  }

  /** A registered request. */
  record Added<T>(long requestId, CompletableFuture<T> future) {}

  /** Adds a request whose reply has no body. */
  <T extends Message> Added<T> add(FrameType reply, Parser<T> parser, long timeoutMs) {
    return add(reply, parser, 0, timeoutMs, (head, body) -> head);
  }

  /** Adds a fetch of {@code bodyLength} bytes. */
  Added<FetchedBody> addFetch(int bodyLength, long timeoutMs) {
    return add(
        FrameType.FETCH_REPLY,
        FetchReply.parser(),
        bodyLength,
        timeoutMs,
        (head, body) -> new FetchedBody(head, body == null ? Unpooled.EMPTY_BUFFER : body));
  }

  private <H extends Message, T> Added<T> add(
      FrameType reply,
      Parser<H> parser,
      int bodyLength,
      long timeoutMs,
      BiFunction<H, ByteBuf, T> result) {
    long id = lastId.incrementAndGet();
    CompletableFuture<T> future = new CompletableFuture<>();
    long deadlineNanos = nanoTime.getAsLong() + timeoutMs * 1_000_000;
    waiting.put(id, new Waiting<>(reply, parser, bodyLength, deadlineNanos, future, result));
    if (ended.get() != null) {
      // The connection may have ended between the caller's check and the put.
      fail(id);
    }
    return new Added<>(id, future);
  }

  /**
   * Parses the head of a reply after checking that it matches a pending request: type and body
   * length. Called before memory is allocated for the reply's body, so that a server cannot cause
   * allocations that were not requested. An ERROR is valid for every request.
   *
   * @param frame borrowed; header and head
   * @throws SluiceException if the connection cannot continue: an ERROR for the connection, or a
   *     reply without a matching request
   */
  MessageLite head(FrameHeader header, ByteBuf frame) throws SluiceException {
    Waiting<?, ?> request = waiting.get(header.requestId());
    if (header.type() == FrameType.ERROR) {
      Error error = parse(Error.parser(), header, frame);
      if (request == null) {
        throw exceptionOf(error);
      }
      return error;
    }
    if (header.type() == FrameType.HELLO_REPLY
        && request != null
        && request.reply == FrameType.CHALLENGE) {
      throw new SluiceException(
          StatusCode.DENIED,
          "server "
              + server
              + " did not prove that it belongs to this cluster: it does not support"
              + " authentication, although this process has a token; enable authentication there,"
              + " or check the address");
    }
    if (request == null || request.reply != header.type()) {
      throw unexpected(
          header, request == null ? "no pending request has this id" : "expected " + request.reply);
    }
    if (request.bodyLength != header.bodyLength()) {
      throw unexpected(
          header, "body of " + header.bodyLength() + " bytes, expected " + request.bodyLength);
    }
    return parse(request.parser, header, frame);
  }

  private static <T extends Message> T parse(Parser<T> parser, FrameHeader header, ByteBuf frame)
      throws SluiceException {
    return FrameHeads.parse(parser, header.type(), frame, FrameHeader.LENGTH, header.headLength());
  }

  private SluiceException unexpected(FrameHeader header, String why) {
    return new SluiceException(
        StatusCode.BAD_MESSAGE,
        "server "
            + server
            + ": reply "
            + header.type()
            + " to request "
            + header.requestId()
            + " refused: "
            + why);
  }

  private SluiceException exceptionOf(Error error) {
    return new SluiceException(
        StatusCode.of(error.getStatus()), "server " + server + ": " + error.getMessage());
  }

  /**
   * Completes a request with its reply.
   *
   * @param head result of {@link #head}
   * @param body takes ownership; null for a frame without a body
   */
  void complete(long requestId, MessageLite head, ByteBuf body) {
    Waiting<?, ?> request = waiting.remove(requestId);
    if (request == null) {
      if (body != null) {
        body.release();
      }
    } else if (head instanceof Error error) {
      request.future.completeExceptionally(exceptionOf(error));
    } else {
      request.complete(head, body);
    }
  }

  /** Whether the timeout of any request has expired; the connection is closed then. */
  boolean anyOverdue() {
    long now = nanoTime.getAsLong();
    for (Waiting<?, ?> request : waiting.values()) {
      if (now - request.deadlineNanos >= 0) {
        return true;
      }
    }
    return false;
  }

  /** Fails all pending and later requests. Later causes are ignored. */
  void failAll(Throwable cause) {
    ended.compareAndSet(null, cause);
    for (Long id : waiting.keySet()) {
      fail(id);
    }
  }

  private void fail(long requestId) {
    Waiting<?, ?> request = waiting.remove(requestId);
    if (request != null) {
      request.future.completeExceptionally(failure());
    }
  }

  /** Cause of the connection's end, or null while it is open. */
  Throwable ended() {
    return ended.get();
  }

  /** A new exception for a request: the refusal if the token has expired, else the loss. */
  private Throwable failure() {
    return ended.get() instanceof SluiceException refusal
            && refusal.code() == StatusCode.TOKEN_EXPIRED
        ? new SluiceException(refusal.code(), refusal.getMessage(), refusal)
        : lost();
  }

  /** A new exception for a request, with the cause of the connection's end. */
  ConnectionLostException lost() {
    Throwable cause = ended.get();
    return new ConnectionLostException(
        "server " + server + ": connection lost: " + cause.getMessage(),
        cause instanceof ConnectionLostException ? cause.getCause() : cause);
  }
}
