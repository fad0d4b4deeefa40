package io.sluice.it.hostile;

import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.Status;
import io.sluice.common.auth.ApplicationCredential;
import io.sluice.it.hostile.FramePeer.Frame;
import io.sluice.proto.Hello;
import io.sluice.proto.HelloChallenge;
import io.sluice.transport.protocol.ConnectionProofs;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * A stream of the data protocol over gRPC that sends arbitrary bytes and receives only requested
 * messages. Used by one thread.
 */
final class GrpcPeer implements AutoCloseable {
  private static final byte[] END = {};

  private final ManagedChannel channel;
  private final ClientCall<byte[], byte[]> call;
  private final BlockingQueue<byte[]> received = new LinkedBlockingQueue<>();

  private GrpcPeer(Target target, CallOptions options) {
    channel = target.channel(Port.SERVER_RPC);
    call =
        channel.newCall(
            RawCalls.method("sluice.v1.Data/Exchange").toBuilder()
                .setType(MethodType.BIDI_STREAMING)
                .build(),
            options);
    call.start(
        new ClientCall.Listener<>() {
          @Override
          public void onMessage(byte[] message) {
            received.add(message);
          }

          @Override
          public void onClose(Status status, Metadata trailers) {
            received.add(END);
          }
        },
        new Metadata());
  }

  /** A stream with compression that has sent nothing yet. */
  static GrpcPeer compressing(Target target) {
    return new GrpcPeer(target, CallOptions.DEFAULT.withCompression("gzip"));
  }

  /** An authenticated stream. */
  static GrpcPeer greeted(Target target, ApplicationCredential credential) throws Exception {
    GrpcPeer peer = new GrpcPeer(target, CallOptions.DEFAULT);
    try {
      ConnectionProofs proofs = Target.proofs(credential);
      Hello.Builder hello = FramePeer.hello(credential.application());
      proofs.introduce(hello);
      peer.send(Frames.of(Frames.HELLO, 1, hello.build()));
      Frame challenge = peer.receive(Frames.CHALLENGE);
      peer.send(
          Frames.of(Frames.PROOF, 2, proofs.answer(HelloChallenge.parseFrom(challenge.head()))));
      peer.receive(Frames.HELLO_REPLY);
      return peer;
    } catch (Exception | AssertionError e) {
      peer.close();
      throw e;
    }
  }

  /** Sends a message. */
  void send(byte[] bytes) {
    call.sendMessage(bytes);
  }

  private Frame receive(int type) throws IOException, InterruptedException {
    call.request(1);
    byte[] message = received.poll(Bounds.WAIT_SECONDS, TimeUnit.SECONDS);
    if (message == null || message.length < Frames.HEADER_LENGTH) {
      throw new RefusedException(null);
    }
    ByteBuffer fields = ByteBuffer.wrap(message).order(ByteOrder.LITTLE_ENDIAN);
    Frame frame =
        new Frame(
            message[5],
            fields.getLong(8),
            Arrays.copyOfRange(message, Frames.HEADER_LENGTH, message.length),
            END);
    if (frame.type() != type) {
      throw new RefusedException(frame);
    }
    return frame;
  }

  @Override
  public void close() throws InterruptedException {
    channel.shutdownNow();
    channel.awaitTermination(Bounds.WAIT_SECONDS, TimeUnit.SECONDS);
  }
}
