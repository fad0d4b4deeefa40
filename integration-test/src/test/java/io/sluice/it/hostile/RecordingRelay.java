package io.sluice.it.hostile;

import io.grpc.HandlerRegistry;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerMethodDefinition;
import io.grpc.Status;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import io.sluice.it.hostile.RawCalls.Answer;
import io.sluice.it.hostile.RawCalls.Compression;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Base64;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/**
 * A man in the middle between a caller and a process. It forwards challenges; it records the
 * headers of other calls and does not forward those. Thread-safe.
 */
final class RecordingRelay implements AutoCloseable {
  private static final String CHALLENGE = "sluice.v1.Authentication/Challenge";

  /** Header with the proof of a call. */
  static final Metadata.Key<byte[]> PROOF =
      Metadata.Key.of("sluice-proof-bin", Metadata.BINARY_BYTE_MARSHALLER);

  private final ManagedChannel process;
  private final AtomicReference<Metadata> recorded = new AtomicReference<>();
  private final Server server;

  /**
   * Listens on loopback.
   *
   * @param process channel to the process that sends challenges; not closed
   */
  RecordingRelay(ManagedChannel process) throws IOException {
    this.process = process;
    this.server =
        NettyServerBuilder.forAddress(new InetSocketAddress("127.0.0.1", 0))
            .fallbackHandlerRegistry(
                new HandlerRegistry() {
                  @Override
                  public ServerMethodDefinition<?, ?> lookupMethod(String name, String authority) {
                    return ServerMethodDefinition.create(RawCalls.method(name), handler(name));
                  }
                })
            .build()
            .start();
  }

  /**
   * Headers of a call that a user makes to this relay instead of the process.
   *
   * @param method such as {@code sluice.v1.Admin/Call}
   */
  Metadata headersOf(Identity identity, String method) throws Exception {
    ManagedChannel caller =
        NettyChannelBuilder.forAddress("127.0.0.1", server.getPort())
            .usePlaintext()
            .intercept(Target.proofs(identity))
            .build();
    try {
      recorded.set(null);
      RawCalls.call(caller, method, new byte[0]);
      Metadata headers = recorded.get();
      if (headers == null) {
        throw new IOException("the caller received no challenge from the process");
      }
      return headers;
    } finally {
      caller.shutdownNow();
    }
  }

  /** The proof of such a call, as an HTTP/2 header. */
  byte[] proofOf(Identity identity, String method) throws Exception {
    byte[] proof = headersOf(identity, method).get(PROOF);
    ByteArrayOutputStream header = new ByteArrayOutputStream();
    Http2Peer.header(header, PROOF.name(), Base64.getEncoder().encodeToString(proof));
    return header.toByteArray();
  }

  private ServerCallHandler<byte[], byte[]> handler(String name) {
    return (call, headers) -> {
      if (!name.equals(CHALLENGE)) {
        recorded.set(headers);
        call.close(Status.UNAVAILABLE, new Metadata());
        return new ServerCall.Listener<>() {};
      }
      call.request(1);
      return new ServerCall.Listener<>() {
        @Override
        public void onMessage(byte[] request) {
          pass(call, request);
        }
      };
    };
  }

  private void pass(ServerCall<byte[], byte[]> call, byte[] request) {
    CompletableFuture<Void> unused =
        RawCalls.begin(process, CHALLENGE, request, Compression.IDENTITY, new Metadata())
            .thenAccept(answer -> reply(call, answer));
  }

  private static void reply(ServerCall<byte[], byte[]> call, Answer answer) {
    call.sendHeaders(new Metadata());
    if (answer.status().isOk()) {
      call.sendMessage(answer.reply());
    }
    call.close(answer.status(), new Metadata());
  }

  @Override
  public void close() throws InterruptedException {
    server.shutdownNow();
    server.awaitTermination(Bounds.WAIT_SECONDS, TimeUnit.SECONDS);
  }
}
