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
 * The requests of one connection that wait for their reply. Thread-safe: requests are added by any
 * thread, replies and failures come from the connection's own. Whoever removes a request from the
 * table completes it, so each completes exactly once.
 */
final class Requests {
  /** Id of an ERROR that is about the connection, not about a request of it. */
  private static final long CONNECTION = 0;

  private final String server;
  private final LongSupplier nanoTime;
  private final AtomicLong lastId = new AtomicLong(CONNECTION);
  private final Map<Long, Waiting<?, ?>> waiting = new ConcurrentHashMap<>();
  private final AtomicReference<Throwable> ended = new AtomicReference<>();

  /**
   * @param server named in every message
   */
  Requests(String server, LongSupplier nanoTime) {
    this.server = server;
    this.nanoTime = nanoTime;
  }

  /**
   * @param bodyLength that the reply must have, in bytes
   * @param result made of the reply's head and body; takes the body, which is null if there is none
   */
  private record Waiting<H extends Message, T>(
      FrameType reply,
      Parser<H> parser,
      int bodyLength,
      long deadlineNanos,
      CompletableFuture<T> future,
      BiFunction<H, ByteBuf, T> result) {
    @SuppressWarnings("unchecked") // The head was parsed by this request's own parser.
    void complete(MessageLite head, ByteBuf body) {
      T value = result.apply((H) head, body);
      if (!future.complete(value) && value instanceof FetchedBody unwanted) {
        // The caller had cancelled the future.
        unwanted.close();
      }
    }
  }

  /** A request that has been given an id. */
  record Added<T>(long requestId, CompletableFuture<T> future) {}

  /** Adds a request whose reply is a head alone. */
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
      // The connection may have ended between the caller's look at it and the put.
      fail(id);
    }
    return new Added<>(id, future);
  }

  /**
   * The head of a reply, once it is known to answer a request in every respect. Asked before memory
   * is taken for the reply's body, so that a server decides neither how much is allocated nor for
   * what. An ERROR of a request is such a reply too.
   *
   * @param frame borrows: header and head
   * @throws SluiceException if the connection cannot go on: what the server says about it, or a
   *     reply that answers no request
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
              + " did not prove that it belongs to this cluster: it asks for no proof, although this"
              + " process has a token; authentication is off there, or it is a false one");
    }
    if (request == null || request.reply != header.type()) {
      throw unexpected(
          header, request == null ? "there is no such request" : "expected " + request.reply);
    }
    if (request.bodyLength != header.bodyLength()) {
      throw unexpected(
          header, "body of " + header.bodyLength() + " bytes, asked for " + request.bodyLength);
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
   * @param head from {@link #head}
   * @param body takes; null for a frame without one
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

  /** Whether a request has waited past its deadline; a connection with one is given up. */
  boolean anyOverdue() {
    long now = nanoTime.getAsLong();
    for (Waiting<?, ?> request : waiting.values()) {
      if (now - request.deadlineNanos >= 0) {
        return true;
      }
    }
    return false;
  }

  /** Fails every request, and every later one. The first cause stays. */
  void failAll(Throwable cause) {
    ended.compareAndSet(null, cause);
    for (Long id : waiting.keySet()) {
      fail(id);
    }
  }

  private void fail(long requestId) {
    Waiting<?, ?> request = waiting.remove(requestId);
    if (request != null) {
      request.future.completeExceptionally(lost());
    }
  }

  /** Why the connection ended, or null while it lasts. */
  Throwable ended() {
    return ended.get();
  }

  /** Why the connection ended, as its requests see it: an exception of each one's own. */
  ConnectionLostException lost() {
    Throwable cause = ended.get();
    return new ConnectionLostException(
        "server " + server + ": connection lost: " + cause.getMessage(),
        cause instanceof ConnectionLostException ? cause.getCause() : cause);
  }
}
