package io.sluice.common.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.grpc.BindableService;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.util.internal.PlatformDependent;
import io.sluice.common.auth.AuditLog;
import io.sluice.common.auth.CallDenials;
import io.sluice.common.auth.DeniedCall.Cause;
import io.sluice.common.net.AcceptLimit;
import io.sluice.common.net.PeerConnections;
import io.sluice.common.net.RefusalReply;
import io.sluice.common.rpc.RawHttp2.Frame;
import io.sluice.proto.CoordinatorGrpc;
import io.sluice.proto.ListServersReply;
import io.sluice.proto.ListServersRequest;
import io.sluice.proto.UnregisterApplicationReply;
import io.sluice.proto.UnregisterApplicationRequest;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RunnableScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Limits of a gRPC port against a peer that sends arbitrary frames. */
class RpcPortTest {
  private static final int TIMEOUT_MS = 60_000;
  private static final String UNREGISTER =
      CoordinatorGrpc.getUnregisterApplicationMethod().getFullMethodName();
  private static final String LIST = CoordinatorGrpc.getListServersMethod().getFullMethodName();
  private static final int ENHANCE_YOUR_CALM = 11;
  private static final MethodDescriptor<byte[], byte[]> STREAM =
      MethodDescriptor.<byte[], byte[]>newBuilder()
          .setType(MethodDescriptor.MethodType.BIDI_STREAMING)
          .setFullMethodName("sluice.v1.Data/Exchange")
          .setRequestMarshaller(RawBytes.INSTANCE)
          .setResponseMarshaller(RawBytes.INSTANCE)
          .build();

  private final EventLoopGroup loops =
      new MultiThreadIoEventLoopGroup(2, NioIoHandler.newFactory());
  private final CallDenials denials = new CallDenials(new AuditLog(), System::nanoTime);
  private final ManualTimer timer = new ManualTimer();
  private final AtomicReference<StreamObserver<ListServersReply>> unanswered =
      new AtomicReference<>();
  private Server server;

  /** A timer whose tasks the test runs. */
  private static final class ManualTimer extends ScheduledThreadPoolExecutor {
    private final BlockingQueue<Runnable> tasks = new LinkedBlockingQueue<>();

    ManualTimer() {
      super(1);
    }

    @Override
    protected <V> RunnableScheduledFuture<V> decorateTask(
        Runnable task, RunnableScheduledFuture<V> future) {
      tasks.add(task);
      return future;
    }

    void fireOne() throws InterruptedException {
      Runnable task = tasks.poll(TIMEOUT_MS, TimeUnit.MILLISECONDS);
      assertThat(task).as("a scheduled timeout").isNotNull();
      task.run();
    }
  }

  private enum RawBytes implements MethodDescriptor.Marshaller<byte[]> {
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

  @BeforeEach
  void start() throws IOException {
    NettyServerBuilder builder =
        NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
            .bossEventLoopGroup(loops)
            .workerEventLoopGroup(loops)
            .directExecutor();
    RpcPort.configure(
        builder,
        NioServerSocketChannel.class,
        new AcceptLimit(
            new PeerConnections(100, 100, "rss.max", "rss.peer.max"),
            RefusalReply.HTTP2,
            (peer, reason) -> {}),
        new CallBounds(
            CallLimits.control()
                .with(CoordinatorGrpc.getHeartbeatMethod(), 16 << 20)
                .with(STREAM, 1 << 10),
            timer,
            denials));
    BindableService data = RpcPortTest::dataExchange;
    RpcPort.serve(builder, List.of(new Service(), data), denials);
    server = builder.build().start();
  }

  private final class Service extends CoordinatorGrpc.CoordinatorImplBase {
    @Override
    public void unregisterApplication(
        UnregisterApplicationRequest request, StreamObserver<UnregisterApplicationReply> replies) {
      replies.onNext(
          UnregisterApplicationReply.newBuilder()
              .setMessage(request.getSerializedSize() + " bytes")
              .build());
      replies.onCompleted();
    }

    @Override
    public void listServers(ListServersRequest request, StreamObserver<ListServersReply> replies) {
      unanswered.set(replies);
    }
  }

  private static ServerServiceDefinition dataExchange() {
    return ServerServiceDefinition.builder("sluice.v1.Data")
        .addMethod(STREAM, (call, headers) -> answeredAndClosed(call))
        .build();
  }

  private static ServerCall.Listener<byte[]> answeredAndClosed(ServerCall<byte[], byte[]> call) {
    call.sendHeaders(new Metadata());
    call.sendMessage(new byte[100]);
    call.close(Status.OK, new Metadata());
    BoundedCall.current().closing();
    return new ServerCall.Listener<>() {};
  }

  @AfterEach
  void stop() throws InterruptedException {
    server.shutdownNow().awaitTermination(TIMEOUT_MS, TimeUnit.MILLISECONDS);
    loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
    timer.shutdownNow();
  }

  private RawHttp2 connect() throws IOException {
    return new RawHttp2(server.getPort(), TIMEOUT_MS);
  }

  private static byte[] request(int bytes) {
    return UnregisterApplicationRequest.newBuilder()
        .setApplicationBytes(ByteString.copyFrom(new byte[bytes - 4]))
        .build()
        .toByteArray();
  }

  @Test
  void acceptsTheLongestRequestOfAMethod() throws IOException {
    byte[] message = RawHttp2.message(request(CallLimits.NAMES - 100));
    try (RawHttp2 peer = connect()) {
      peer.call(1, UNREGISTER);
      for (int at = 0; at < message.length; at += 16_000) {
        int length = Math.min(16_000, message.length - at);
        byte[] part = new byte[length];
        System.arraycopy(message, at, part, 0, length);
        peer.frame(RawHttp2.DATA, at + length == message.length ? 1 : 0, 1, part);
      }
      assertThat(peer.end(1).status()).isZero();
    }
  }

  @Test
  void endsARequestWhenItExceedsItsLimit() throws IOException {
    try (RawHttp2 peer = connect()) {
      peer.call(1, UNREGISTER);
      // The limit of the port, that of heartbeats, would allow 16 MiB.
      peer.frame(RawHttp2.DATA, 0, 1, RawHttp2.prefix(16 << 20));
      for (int sent = 0; sent <= CallLimits.NAMES; sent += 16_000) {
        peer.frame(RawHttp2.DATA, 0, 1, new byte[16_000]);
      }
      Frame end = peer.end(1);
      assertThat(end.status()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED.value());
      assertThat(end.message()).isEqualTo("request exceeds the limit of this call, maxBytes=65536");
    }
    assertThat(denials.count(Cause.TOO_LARGE)).isEqualTo(1);
  }

  @Test
  void endsARequestWithTooManyParts() throws IOException {
    try (RawHttp2 peer = connect()) {
      peer.call(1, LIST);
      peer.frame(RawHttp2.DATA, 0, 1, RawHttp2.prefix(CallLimits.EMPTY));
      for (int i = 0; i < 21; i++) {
        peer.frame(RawHttp2.DATA, 0, 1, new byte[1]);
      }
      assertThat(peer.end(1).message()).isEqualTo("request has too many parts, maxParts=20");
    }
  }

  @Test
  void smallFramesDoNotRetainTheirReadBuffers() throws IOException {
    byte[] padding = RawHttp2.bytes(77, 0, 0, new byte[16_000]);
    long before = PlatformDependent.usedDirectMemory();
    try (RawHttp2 peer = connect()) {
      peer.call(1, UNREGISTER);
      peer.frame(RawHttp2.DATA, 0, 1, RawHttp2.prefix(CallLimits.NAMES));
      for (int i = 0; i < 250; i++) {
        peer.frame(RawHttp2.DATA, 0, 1, new byte[1]);
        // Frames of an unknown type are read and ignored.
        for (int j = 0; j < 5; j++) {
          peer.write(padding);
        }
      }
      // The reply shows that all earlier frames have been read.
      peer.call(3, UNREGISTER);
      peer.frame(RawHttp2.DATA, RawHttp2.END_STREAM, 3, RawHttp2.message(new byte[0]));
      assertThat(peer.end(3).status()).isZero();
      // Retaining each read buffer would use 250 buffers of at least 64 KiB.
      assertThat(PlatformDependent.usedDirectMemory() - before).isLessThan(10 << 20);
    }
  }

  @Test
  void emptyFramesAreDropped() throws IOException {
    byte[] empty = RawHttp2.bytes(RawHttp2.DATA, 0, 1, new byte[0]);
    ByteArrayOutputStream many = new ByteArrayOutputStream();
    for (int i = 0; i < 10_000; i++) {
      many.write(empty);
    }
    try (RawHttp2 peer = connect()) {
      peer.call(1, UNREGISTER);
      peer.write(many.toByteArray());
      peer.frame(RawHttp2.DATA, RawHttp2.END_STREAM, 1, RawHttp2.message(new byte[0]));
      assertThat(peer.end(1).status()).isZero();
    }
  }

  @Test
  void refusesACompressedRequestFromItsHeaders() throws IOException {
    try (RawHttp2 peer = connect()) {
      peer.call(1, UNREGISTER, "grpc-encoding", "gzip");
      Frame end = peer.end(1);
      assertThat(end.status()).isEqualTo(Status.Code.UNIMPLEMENTED.value());
      assertThat(end.message()).isEqualTo("Can't find decompressor for \"gzip\"");
      peer.call(3, UNREGISTER, "grpc-encoding", "g".repeat(5_000));
      assertThat(peer.end(3).message()).endsWith("(5000 characters)").hasSizeLessThan(350);
      peer.call(5, UNREGISTER, "grpc-encoding", "identity");
      peer.frame(RawHttp2.DATA, RawHttp2.END_STREAM, 5, RawHttp2.message(new byte[0]));
      assertThat(peer.end(5).status()).isZero();
    }
  }

  @Test
  void refusesACompressedMessageThatNoHeaderAnnounces() throws IOException {
    byte[] message = RawHttp2.message(new byte[8]);
    message[0] = 1;
    try (RawHttp2 peer = connect()) {
      peer.call(1, UNREGISTER);
      peer.frame(RawHttp2.DATA, RawHttp2.END_STREAM, 1, message);
      assertThat(peer.end(1).status()).isEqualTo(Status.Code.INTERNAL.value());
    }
  }

  @Test
  void answersARequestThatCannotBeParsed() throws IOException {
    byte[] beyondTheEnd = {0x0a, (byte) 0xff, (byte) 0xff, (byte) 0xff, 0x7f};
    try (RawHttp2 peer = connect()) {
      peer.call(1, UNREGISTER);
      peer.frame(RawHttp2.DATA, RawHttp2.END_STREAM, 1, RawHttp2.message(beyondTheEnd));
      Frame end = peer.end(1);
      assertThat(end.status()).isEqualTo(Status.Code.INVALID_ARGUMENT.value());
      assertThat(end.message()).isEqualTo("the request is not a message of this method");
      // The connection stays usable.
      peer.call(3, UNREGISTER);
      peer.frame(RawHttp2.DATA, RawHttp2.END_STREAM, 3, RawHttp2.message(new byte[0]));
      assertThat(peer.end(3).status()).isZero();
    }
    assertThat(denials.count(Cause.MALFORMED)).isEqualTo(1);
  }

  @Test
  void endsACallAfterItsTimeLimit() throws Exception {
    try (RawHttp2 peer = connect()) {
      peer.call(1, UNREGISTER);
      timer.fireOne();
      assertThat(peer.end(1).type()).isEqualTo(RawHttp2.RST_STREAM);
      assertThat(denials.count(Cause.TOO_SLOW)).isEqualTo(1);

      // A call without a reply ends as well.
      peer.call(3, LIST);
      peer.frame(RawHttp2.DATA, RawHttp2.END_STREAM, 3, RawHttp2.message(new byte[0]));
      timer.fireOne();
      assertThat(peer.end(3).type()).isEqualTo(RawHttp2.RST_STREAM);
      assertThat(denials.count(Cause.TOO_SLOW)).isEqualTo(2);
    }
  }

  @Test
  void aCompletedCallHasNoTimeLimit() throws Exception {
    try (RawHttp2 peer = connect()) {
      peer.call(1, UNREGISTER);
      peer.frame(RawHttp2.DATA, RawHttp2.END_STREAM, 1, RawHttp2.message(new byte[0]));
      assertThat(peer.end(1).status()).isZero();
      timer.fireOne();
      assertThat(denials.count(Cause.TOO_SLOW)).isZero();
    }
  }

  @Test
  void resetsAStreamWhoseEndIsNotRead() throws Exception {
    try (RawHttp2 peer = connect()) {
      peer.initialWindow(0);
      peer.call(1, STREAM.getFullMethodName());
      assertThat(peer.next().type()).isEqualTo(RawHttp2.HEADERS);

      timer.fireOne();

      assertThat(peer.end(1).type()).isEqualTo(RawHttp2.RST_STREAM);
      assertThat(denials.count(Cause.TOO_SLOW)).isEqualTo(1);
    }
  }

  @Test
  void refusesCallsBeyondTheLimitOfOneConnection() throws IOException {
    int max = RpcPort.MAX_CALLS_PER_CONNECTION;
    try (RawHttp2 peer = connect()) {
      for (int call = 0; call <= max; call++) {
        peer.call(1 + 2 * call, UNREGISTER);
      }
      Frame last = peer.end(1 + 2 * max);
      assertThat(last.type()).isEqualTo(RawHttp2.RST_STREAM);
      assertThat(last.payload()).as("REFUSED_STREAM").endsWith(7);
    }
  }

  @Test
  void endsAConnectionThatKeepsResettingItsCalls() throws IOException {
    byte[] cancel = {0, 0, 0, 8};
    try (RawHttp2 peer = connect()) {
      ByteArrayOutputStream calls = new ByteArrayOutputStream();
      for (int call = 0; call <= 200; call++) {
        int stream = 1 + 2 * call;
        calls.write(RawHttp2.bytes(RawHttp2.HEADERS, 4, stream, RawHttp2.headers(UNREGISTER)));
        calls.write(RawHttp2.bytes(RawHttp2.RST_STREAM, 0, stream, cancel));
      }
      peer.write(calls.toByteArray());
      Frame end = peer.end(Integer.MAX_VALUE);
      assertThat(end.type()).isEqualTo(RawHttp2.GO_AWAY);
      assertThat(end.payload()[7]).isEqualTo((byte) ENHANCE_YOUR_CALM);
    }
  }
}
