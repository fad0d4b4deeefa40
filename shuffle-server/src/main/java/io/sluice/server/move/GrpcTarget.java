package io.sluice.server.move;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Status;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.sluice.common.auth.ApplicationCredential;
import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import io.sluice.common.net.CallFailure;
import io.sluice.proto.Error;
import io.sluice.proto.Hello;
import io.sluice.proto.HelloChallenge;
import io.sluice.proto.HelloReply;
import io.sluice.proto.Push;
import io.sluice.proto.PushAck;
import io.sluice.proto.ShuffleId;
import io.sluice.server.log.ShuffleKey;
import io.sluice.transport.frame.FrameFormatException;
import io.sluice.transport.frame.FrameHeader;
import io.sluice.transport.frame.FrameHeads;
import io.sluice.transport.frame.FrameLimits;
import io.sluice.transport.frame.FrameType;
import io.sluice.transport.handshake.ConnectionProofs;
import io.sluice.transport.net.DataExchange;
import io.sluice.transport.net.FrameSink;
import io.sluice.transport.net.MessageReceiver;
import java.io.IOException;
import java.io.InputStream;
import java.security.SecureRandom;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import javax.net.ssl.SSLException;

/**
 * The data protocol inside a gRPC stream, which every server has, one request at a time. The thread
 * that owns it sends and waits; what arrives comes on gRPC's thread.
 */
final class GrpcTarget implements MoveTarget, FrameSink {
  private static final int PROTOCOL_VERSION = 1;
  private static final int MESSAGES_AHEAD = 4;

  private final String server;
  private final ManagedChannel channel;
  private final ClientCall<InputStream, InputStream> call;
  private final MessageReceiver receiver;
  private final long timeoutNanos;
  private final LongSupplier nanoTime;
  private final ByteBufAllocator allocator = UnpooledByteBufAllocator.DEFAULT;
  private final Object lock = new Object();
  private HelloReply hello = HelloReply.getDefaultInstance();
  private long requests;

  // Guarded by lock.
  private FrameHeader answered;

  @GuardedBy("lock")
  private byte[] answer;

  @GuardedBy("lock")
  private IOException ended;

  /**
   * @param server named in messages
   * @param channel takes
   * @param timeoutMs for each request
   */
  GrpcTarget(String server, ManagedChannel channel, long timeoutMs, LongSupplier nanoTime) {
    this.server = server;
    this.channel = channel;
    this.timeoutNanos = TimeUnit.MILLISECONDS.toNanos(timeoutMs);
    this.nanoTime = nanoTime;
    this.receiver = new MessageReceiver(allocator, FrameLimits.DEFAULT, this);
    this.call =
        channel.newCall(
            DataExchange.METHOD,
            CallOptions.DEFAULT.withOnReadyThreshold(DataExchange.MAX_MESSAGE_LENGTH));
  }

  /** Says HELLO, and proves the application where there is a credential for it. */
  void open(String application, String client, Optional<ApplicationCredential> credential)
      throws IOException, InterruptedException {
    call.start(new Listener(), new Metadata());
    call.request(MESSAGES_AHEAD);
    Hello.Builder head =
        Hello.newBuilder()
            .setMinVersion(PROTOCOL_VERSION)
            .setMaxVersion(PROTOCOL_VERSION)
            .setApplication(application)
            .setClient(client);
    if (credential.isEmpty()) {
      hello = ask(FrameType.HELLO, head.build(), FrameType.HELLO_REPLY, HelloReply.parser());
      return;
    }
    ConnectionProofs proofs = new ConnectionProofs(credential.get(), new SecureRandom());
    proofs.introduce(head);
    HelloChallenge challenge =
        ask(FrameType.HELLO, head.build(), FrameType.CHALLENGE, HelloChallenge.parser());
    HelloReply reply =
        ask(FrameType.PROOF, proofs.answer(challenge), FrameType.HELLO_REPLY, HelloReply.parser());
    proofs.verify(reply);
    hello = reply;
  }

  @Override
  public long epoch() {
    return hello.getEpoch();
  }

  @Override
  public long wholeSinceEpoch() {
    return hello.getWholeSinceEpoch() == 0 ? hello.getEpoch() : hello.getWholeSinceEpoch();
  }

  @Override
  public int maxBodyBytes() {
    return hello.getMaxBodyLength();
  }

  @Override
  public void push(ShuffleKey shuffle, ByteBuf body) throws IOException, InterruptedException {
    Push push =
        Push.newBuilder()
            .setShuffle(
                ShuffleId.newBuilder()
                    .setApplication(shuffle.application())
                    .setShuffle(shuffle.shuffle()))
            .setEpoch(epoch())
            .build();
    PushAck ack = ask(FrameType.PUSH, push, body, FrameType.PUSH_ACK, PushAck.parser());
    if (ack.getEpoch() != epoch()) {
      throw new SluiceException(
          StatusCode.STALE_EPOCH, server + " acknowledged in another epoch, " + ack.getEpoch());
    }
  }

  private <T extends MessageLite> T ask(
      FrameType type, MessageLite head, FrameType reply, Parser<T> parser)
      throws IOException, InterruptedException {
    return ask(type, head, null, reply, parser);
  }

  private <T extends MessageLite> T ask(
      FrameType type, MessageLite head, ByteBuf body, FrameType reply, Parser<T> parser)
      throws IOException, InterruptedException {
    long deadline = nanoTime.getAsLong() + timeoutNanos;
    long request = ++requests;
    synchronized (lock) {
      answered = null;
    }
    ByteBuf frame =
        FrameHeads.encode(allocator, type, request, head, body == null ? 0 : body.readableBytes());
    try {
      send(frame, frame.readableBytes(), deadline);
    } finally {
      frame.release();
    }
    if (body != null) {
      send(body.slice(), DataExchange.MAX_MESSAGE_LENGTH, deadline);
    }
    FrameHeader header;
    byte[] bytes;
    synchronized (lock) {
      await(() -> answered != null, deadline);
      header = answered;
      bytes = answer;
    }
    return parse(header, bytes, request, reply, parser);
  }

  private <T extends MessageLite> T parse(
      FrameHeader header, byte[] bytes, long request, FrameType reply, Parser<T> parser)
      throws IOException {
    try {
      if (header.type() == FrameType.ERROR) {
        Error error = Error.parseFrom(bytes);
        throw new SluiceException(
            StatusCode.of(error.getStatus()), server + " refuses: " + error.getMessage());
      }
      if (header.type() != reply || header.requestId() != request) {
        throw new IOException(
            server + " answered " + header.type() + " to request " + request + ", not " + reply);
      }
      return parser.parseFrom(bytes);
    } catch (InvalidProtocolBufferException e) {
      throw new IOException(server + ": the head of its answer is not a message of " + reply, e);
    }
  }

  /** Sends while gRPC takes more: only then does it copy a message before the call returns. */
  private void send(ByteBuf bytes, int partBytes, long deadline)
      throws IOException, InterruptedException {
    while (bytes.isReadable()) {
      synchronized (lock) {
        await(call::isReady, deadline);
      }
      ByteBuf part = bytes.readSlice(Math.min(bytes.readableBytes(), partBytes));
      call.sendMessage(DataExchange.message(part));
    }
  }

  /** With the lock held. */
  @GuardedBy("lock")
  private void await(BooleanSupplier wanted, long deadline)
      throws IOException, InterruptedException {
    while (ended != null || !wanted.getAsBoolean()) {
      if (ended != null) {
        String line = server + ": " + ended.getMessage();
        throw ended instanceof SSLException
            ? new SSLException(line, ended)
            : new IOException(line, ended);
      }
      long leftMs = TimeUnit.NANOSECONDS.toMillis(deadline - nanoTime.getAsLong());
      if (leftMs <= 0) {
        throw new IOException(
            server
                + " did not answer within "
                + TimeUnit.NANOSECONDS.toMillis(timeoutNanos)
                + " ms");
      }
      lock.wait(leftMs);
    }
  }

  private void end(IOException cause) {
    synchronized (lock) {
      if (ended == null) {
        ended = cause;
      }
      lock.notifyAll();
    }
  }

  @Override
  public void onHead(FrameHeader header, ByteBuf frame) {
    if (header.bodyLength() > 0) {
      end(new IOException("an answer with a body, expected none"));
      return;
    }
    synchronized (lock) {
      answered = header;
      answer = ByteBufUtil.getBytes(frame, FrameHeader.LENGTH, header.headLength());
      lock.notifyAll();
    }
  }

  @Override
  public void onBody(FrameHeader header, ByteBuf body) {
    body.release();
  }

  @Override
  public void onMalformed(long requestId, FrameFormatException problem) {
    end(problem);
  }

  @Override
  public void close() {
    end(new IOException("closed"));
    call.cancel("the copy is done", null);
    channel.shutdownNow();
  }

  private final class Listener extends ClientCall.Listener<InputStream> {
    @Override
    public void onMessage(InputStream received) {
      try (InputStream message = received) {
        receiver.onMessage(message);
      } catch (IOException e) {
        end(e);
        return;
      }
      call.request(1);
    }

    @Override
    public void onReady() {
      synchronized (lock) {
        lock.notifyAll();
      }
    }

    @Override
    public void onClose(Status status, Metadata trailers) {
      receiver.end();
      String line = "the connection ended: " + CallFailure.describe(status);
      end(
          CallFailure.isTls(status)
              ? new SSLException(line, status.getCause())
              : new IOException(line, status.getCause()));
    }
  }
}
