package io.sluice.transport.client;

import com.google.protobuf.Message;
import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.sluice.common.auth.ConnectionCredentials;
import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import io.sluice.proto.Fetch;
import io.sluice.proto.HelloChallenge;
import io.sluice.proto.HelloReply;
import io.sluice.proto.Open;
import io.sluice.proto.OpenReply;
import io.sluice.proto.Push;
import io.sluice.proto.PushAck;
import io.sluice.proto.Range;
import io.sluice.transport.protocol.ClientHandshake;
import io.sluice.transport.protocol.FrameFormatException;
import io.sluice.transport.protocol.FrameHeader;
import io.sluice.transport.protocol.FrameHeads;
import io.sluice.transport.protocol.FrameSink;
import io.sluice.transport.protocol.FrameType;
import io.sluice.transport.protocol.ServerGreeting;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;

/**
 * What connections of both transports have in common: requests become frames, replies complete
 * them. A transport carries the frames. Thread-safe.
 */
abstract class FramedConnection implements DataConnection, FrameSink {
  private final Requests requests;
  private final ByteBufAllocator allocator;
  private final TransportConfig config;
  // Touched by the thread that receives only.
  private MessageLite headOfBody;
  private volatile ServerGreeting greeting = ServerGreeting.NONE;

  FramedConnection(
      String server, ByteBufAllocator allocator, TransportConfig config, LongSupplier nanoTime) {
    this.requests = new Requests(server, nanoTime);
    this.allocator = allocator;
    this.config = config;
  }

  /**
   * Sends a frame after those given before it. Never blocks.
   *
   * @param headerAndHead takes
   * @param body takes; null if there is none
   */
  abstract void send(ByteBuf headerAndHead, ByteBuf body);

  /**
   * Reads the body that was announced last.
   *
   * @param target takes: empty, with exactly the body's length of writable bytes
   */
  abstract void receiveBody(ByteBuf target);

  /** Takes nothing more from the other side. Idempotent. */
  abstract void endReceiving();

  /** Fails what waits for a reply, and closes. The first cause stays. Idempotent. */
  abstract void end(Throwable cause);

  @Override
  public final void onHead(FrameHeader header, ByteBuf frame) {
    MessageLite head;
    try {
      head = requests.head(header, frame);
    } catch (SluiceException e) {
      endReceiving();
      end(e);
      return;
    }
    int length = header.bodyLength();
    if (length == 0) {
      requests.complete(header.requestId(), head, null);
    } else {
      headOfBody = head;
      receiveBody(allocator.directBuffer(length, length));
    }
  }

  @Override
  public final void onBody(FrameHeader header, ByteBuf body) {
    MessageLite head = headOfBody;
    headOfBody = null;
    requests.complete(header.requestId(), head, body);
  }

  @Override
  public final void onMalformed(long requestId, FrameFormatException problem) {
    end(new SluiceException(StatusCode.FRAME_CORRUPT, problem.getMessage(), problem));
  }

  Requests requests() {
    return requests;
  }

  ByteBufAllocator allocator() {
    return allocator;
  }

  TransportConfig config() {
    return config;
  }

  /**
   * Sends HELLO, and proves the application where there is a credential for it; then the server
   * must prove its knowledge of the token's key, too. The connection is ready for requests when the
   * result completes.
   */
  CompletableFuture<DataConnection> hello(
      String application, String client, ConnectionCredentials credentials) {
    ClientHandshake handshake;
    try {
      handshake = new ClientHandshake(application, client, credentials.forConnection(application));
    } catch (SluiceException e) {
      return CompletableFuture.failedFuture(e);
    }
    CompletableFuture<HelloReply> reply =
        handshake.expectsChallenge()
            ? ask(FrameType.HELLO, handshake.hello(), FrameType.CHALLENGE, HelloChallenge.parser())
                .thenCompose(challenge -> prove(handshake, challenge))
            : ask(FrameType.HELLO, handshake.hello(), FrameType.HELLO_REPLY, HelloReply.parser());
    return reply.thenCompose(answer -> greeted(handshake, answer));
  }

  private CompletableFuture<HelloReply> prove(ClientHandshake handshake, HelloChallenge challenge) {
    try {
      return ask(
          FrameType.PROOF, handshake.prove(challenge), FrameType.HELLO_REPLY, HelloReply.parser());
    } catch (SluiceException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private <T extends Message> CompletableFuture<T> ask(
      FrameType type, MessageLite head, FrameType reply, Parser<T> parser) {
    Requests.Added<T> request = requests.add(reply, parser, config.connectTimeoutMs());
    send(type, request.requestId(), head, null);
    return request.future();
  }

  private CompletableFuture<DataConnection> greeted(ClientHandshake handshake, HelloReply reply) {
    try {
      greeting = handshake.finish(reply);
      return CompletableFuture.completedFuture(this);
    } catch (SluiceException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  /**
   * Gives the connection to the caller of connect. It is closed if the handshake fails, or if the
   * caller has cancelled {@code ready}.
   *
   * @param greeted of {@link #hello}
   */
  final void handOver(
      CompletableFuture<DataConnection> greeted, CompletableFuture<DataConnection> ready) {
    CompletableFuture<DataConnection> unused = greeted.whenComplete(new HandOver(this, ready));
  }

  /** A class with a name, not a lambda: see {@link SocketDataTransport}. */
  private record HandOver(FramedConnection connection, CompletableFuture<DataConnection> ready)
      implements BiConsumer<DataConnection, Throwable> {
    @Override
    public void accept(DataConnection greeted, Throwable failure) {
      if (failure != null) {
        connection.close();
        ready.completeExceptionally(connectFailure(failure));
      } else if (!ready.complete(greeted)) {
        connection.close();
      }
    }

    /** The server's own refusal, if it sent one. */
    private static Throwable connectFailure(Throwable failure) {
      Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
      return cause instanceof ConnectionLostException && cause.getCause() instanceof SluiceException
          ? cause.getCause()
          : cause;
    }
  }

  /** Ends the connection if a request has waited past its timeout. */
  final void checkOverdue() {
    if (requests.anyOverdue()) {
      end(new ConnectionLostException("server stayed silent past the request timeout"));
    }
  }

  @Override
  public boolean isOpen() {
    return requests.ended() == null;
  }

  @Override
  public final void close() {
    end(new ConnectionLostException("closed by the client"));
  }

  @Override
  public long epoch() {
    return greeting.epoch();
  }

  @Override
  public long wholeSinceEpoch() {
    return greeting.wholeSinceEpoch();
  }

  @Override
  public String localSocket() {
    return greeting.localSocket();
  }

  @Override
  public int maxBodyLength() {
    return greeting.maxBodyLength();
  }

  @Override
  public CompletableFuture<PushAck> push(Push push, ByteBuf body) {
    int length = body.readableBytes();
    if (length > maxBodyLength()) {
      body.release();
      return CompletableFuture.failedFuture(tooLarge("push", length));
    }
    Requests.Added<PushAck> request =
        requests.add(FrameType.PUSH_ACK, PushAck.parser(), config.requestTimeoutMs());
    send(FrameType.PUSH, request.requestId(), push, body);
    return request.future();
  }

  @Override
  public CompletableFuture<OpenReply> open(Open open) {
    Requests.Added<OpenReply> request =
        requests.add(
            FrameType.OPEN_REPLY,
            OpenReply.parser(),
            (long) config.requestTimeoutMs() + open.getMaxWaitMs());
    send(FrameType.OPEN, request.requestId(), open, null);
    return request.future();
  }

  @Override
  public CompletableFuture<FetchedBody> fetch(Fetch fetch) {
    long length = 0;
    for (Range range : fetch.getRangesList()) {
      length += range.getLength();
    }
    if (length < 0 || length > config.limits().maxBodyLength()) {
      return CompletableFuture.failedFuture(tooLarge("fetch", length));
    }
    Requests.Added<FetchedBody> request =
        requests.addFetch((int) length, config.requestTimeoutMs());
    send(FrameType.FETCH, request.requestId(), fetch, null);
    return request.future();
  }

  private SluiceException tooLarge(String what, long length) {
    return new SluiceException(
        StatusCode.FRAME_TOO_LARGE,
        what
            + ": body of "
            + length
            + " bytes, limit "
            + Math.min(maxBodyLength(), config.limits().maxBodyLength()));
  }

  private void send(FrameType type, long requestId, MessageLite head, ByteBuf body) {
    ByteBuf frame;
    try {
      frame =
          FrameHeads.encode(
              allocator, type, requestId, head, body == null ? 0 : body.readableBytes());
    } catch (RuntimeException e) {
      if (body != null) {
        body.release();
      }
      throw e;
    }
    send(frame, body);
  }
}
