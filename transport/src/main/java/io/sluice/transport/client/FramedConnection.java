package io.sluice.transport.client;

import com.google.protobuf.Message;
import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.sluice.common.auth.ApplicationCredential;
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
import io.sluice.transport.protocol.HandshakeResult;
import io.sluice.transport.protocol.ProofScope;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;

/**
 * Base class of client connections: encodes requests as frames and completes them with the replies.
 * Subclasses send and receive the frames. Thread-safe.
 */
abstract class FramedConnection implements DataConnection, FrameSink {
  private final Requests requests;
  private final ByteBufAllocator allocator;
  private final TransportConfig config;
  // Confined to the receiving thread.
  private MessageLite headOfBody;
  private volatile Optional<ApplicationCredential> credential = Optional.empty();
  private volatile HandshakeResult handshakeResult = HandshakeResult.NONE;

  FramedConnection(
      String server, ByteBufAllocator allocator, TransportConfig config, LongSupplier nanoTime) {
    this.requests = new Requests(server, nanoTime);
    this.allocator = allocator;
    this.config = config;
  }

  /**
   * Sends a frame after all earlier frames. Never blocks.
   *
   * @param headerAndHead takes ownership
   * @param body takes ownership; null if there is none
   */
  abstract void send(ByteBuf headerAndHead, ByteBuf body);

  /**
   * Receives the body announced last.
   *
   * @param target takes ownership; empty, with exactly the body's length of writable bytes
   */
  abstract void receiveBody(ByteBuf target);

  /** Ignores all later bytes of the server. Idempotent. */
  abstract void endReceiving();

  /**
   * Fails all pending requests, and closes the connection. Later causes are ignored. Idempotent.
   */
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
   * Performs the handshake. With a credential, the client proves its application and the server its
   * identity. The connection is ready for requests when the result completes.
   *
   * @param host name of the server in its certificate
   */
  CompletableFuture<DataConnection> hello(
      String application, String client, ConnectionCredentials credentials, String host) {
    ClientHandshake handshake;
    try {
      credential = credentials.forConnection(application);
      handshake = new ClientHandshake(application, client, credential, ProofScope.DATA, host);
    } catch (SluiceException e) {
      return CompletableFuture.failedFuture(e);
    }
    CompletableFuture<HelloReply> reply =
        handshake.expectsChallenge()
            ? request(
                    FrameType.HELLO,
                    handshake.hello(),
                    FrameType.CHALLENGE,
                    HelloChallenge.parser())
                .thenCompose(challenge -> prove(handshake, challenge))
            : request(
                FrameType.HELLO, handshake.hello(), FrameType.HELLO_REPLY, HelloReply.parser());
    return reply.thenCompose(answer -> finish(handshake, answer));
  }

  private CompletableFuture<HelloReply> prove(ClientHandshake handshake, HelloChallenge challenge) {
    try {
      return request(
          FrameType.PROOF, handshake.prove(challenge), FrameType.HELLO_REPLY, HelloReply.parser());
    } catch (SluiceException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private <T extends Message> CompletableFuture<T> request(
      FrameType type, MessageLite head, FrameType reply, Parser<T> parser) {
    Requests.Added<T> request = requests.add(reply, parser, config.connectTimeoutMs());
    send(type, request.requestId(), head, null);
    return request.future();
  }

  private CompletableFuture<DataConnection> finish(ClientHandshake handshake, HelloReply reply) {
    try {
      handshakeResult = handshake.finish(reply);
      return CompletableFuture.completedFuture(this);
    } catch (SluiceException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  /**
   * Completes {@code ready} with the connection after the handshake. The connection is closed if
   * the handshake fails, or if the caller has cancelled {@code ready}.
   *
   * @param handshake result of {@link #hello}
   */
  final void handOver(
      CompletableFuture<DataConnection> handshake, CompletableFuture<DataConnection> ready) {
    CompletableFuture<DataConnection> unused = handshake.whenComplete(new HandOver(this, ready));
  }

  /** A named class instead of a lambda: see {@link SocketDataTransport}. */
  private record HandOver(FramedConnection connection, CompletableFuture<DataConnection> ready)
      implements BiConsumer<DataConnection, Throwable> {
    @Override
    public void accept(DataConnection connected, Throwable failure) {
      if (failure != null) {
        connection.close();
        ready.completeExceptionally(connectFailure(failure));
      } else if (!ready.complete(connected)) {
        connection.close();
      }
    }

    /** The error reply of the server, if any. */
    private static Throwable connectFailure(Throwable failure) {
      Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
      return cause instanceof ConnectionLostException && cause.getCause() instanceof SluiceException
          ? cause.getCause()
          : cause;
    }
  }

  /** Ends the connection if the timeout of a request has expired. */
  final void checkOverdue() {
    if (requests.anyOverdue()) {
      end(new ConnectionLostException("the server did not reply within the request timeout"));
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
  public Optional<ApplicationCredential> credential() {
    return credential;
  }

  @Override
  public long epoch() {
    return handshakeResult.epoch();
  }

  @Override
  public long wholeSinceEpoch() {
    return handshakeResult.wholeSinceEpoch();
  }

  @Override
  public String localSocket() {
    return handshakeResult.localSocket();
  }

  @Override
  public int maxBodyLength() {
    return handshakeResult.maxBodyLength();
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
            + " bytes exceeds the limit of "
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
