package io.sluice.it.hostile;

import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.Status;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Unary gRPC calls with arbitrary request bytes. */
final class RawCalls {
  private static final byte[] NOTHING = {};

  private RawCalls() {}

  /** Compression of requests. */
  enum Compression {
    IDENTITY,
    GZIP
  }

  /**
   * Result of a call.
   *
   * @param reply empty if there was none
   */
  @SuppressWarnings("ArrayRecordComponent") // Never compared.
  record Answer(Status status, byte[] reply) {}

  private enum Bytes implements MethodDescriptor.Marshaller<byte[]> {
    INSTANCE;

    @Override
    public InputStream stream(byte[] value) {
      return new ByteArrayInputStream(value);
    }

    @Override
    public byte[] parse(InputStream stream) {
      try {
        return stream.readAllBytes();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  /**
   * A method whose messages are bytes.
   *
   * @param name such as {@code sluice.v1.Admin/Call}
   */
  static MethodDescriptor<byte[], byte[]> method(String name) {
    return MethodDescriptor.<byte[], byte[]>newBuilder()
        .setType(MethodType.UNARY)
        .setFullMethodName(name)
        .setRequestMarshaller(Bytes.INSTANCE)
        .setResponseMarshaller(Bytes.INSTANCE)
        .build();
  }

  /** Makes a call without additional headers and without compression. */
  static Answer call(ManagedChannel channel, String method, byte[] request) throws Exception {
    return begin(channel, method, request, Compression.IDENTITY, new Metadata())
        .get(Bounds.WAIT_SECONDS, TimeUnit.SECONDS);
  }

  /** Starts a call. The future never fails; it contains the result of the call. */
  static CompletableFuture<Answer> begin(
      ManagedChannel channel,
      String method,
      byte[] request,
      Compression compression,
      Metadata headers) {
    CallOptions options =
        CallOptions.DEFAULT.withDeadlineAfter(Bounds.WAIT_SECONDS, TimeUnit.SECONDS);
    ClientCall<byte[], byte[]> call =
        channel.newCall(
            method(method),
            compression == Compression.GZIP ? options.withCompression("gzip") : options);
    CompletableFuture<Answer> ended = new CompletableFuture<>();
    call.start(
        new ClientCall.Listener<>() {
          private byte[] reply = NOTHING;

          @Override
          public void onMessage(byte[] message) {
            reply = message;
          }

          @Override
          public void onClose(Status status, Metadata trailers) {
            ended.complete(new Answer(status, reply));
          }
        },
        headers);
    call.request(2);
    call.sendMessage(request);
    call.halfClose();
    return ended;
  }
}
