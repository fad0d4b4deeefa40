package io.sluice.server.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.unix.FileDescriptor;
import io.sluice.proto.RunFileRequest;
import io.sluice.proto.ShuffleId;
import io.sluice.server.disk.Descriptors;
import io.sluice.transport.protocol.LocalSocketFrame;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RunFileRequestsTest {
  private static final int FIRST_MS = 30_000;
  private static final int IDLE_MS = 60_000;
  private static final int RUN_FILES = LocalSocketFrame.RUN_FILES.wireNumber();
  private static final int MAX_PENDING = 100;

  @TempDir Path directory;

  private final Map<String, CompletableFuture<List<Optional<FileChannel>>>> opening =
      new HashMap<>();
  private final Descriptors descriptors = Descriptors.find();
  private final ShortCircuitCounters counters = new ShortCircuitCounters();
  private final List<String> denials = new ArrayList<>();
  private final RunFileRequests.PendingFiles pending = new Pending();
  private FileChannel placeholder;
  private RunFileRequests.SentDescriptors sent;
  private int pendingFiles;

  private final class Pending implements RunFileRequests.PendingFiles {
    @Override
    public boolean reserve(int files) {
      boolean fits = pendingFiles + files <= MAX_PENDING;
      pendingFiles += fits ? files : 0;
      return fits;
    }

    @Override
    public void release(int files) {
      pendingFiles -= files;
    }
  }

  @BeforeEach
  void openPlaceholder() throws IOException {
    placeholder = FileChannel.open(Path.of("/dev/null"), StandardOpenOption.READ);
    sent = new RunFileRequests.SentDescriptors(descriptors, placeholder);
  }

  @AfterEach
  void closePlaceholder() throws IOException {
    assertThat(pendingFiles).as("reserved files at the end").isZero();
    assertThat(placeholder.isOpen()).isTrue();
    placeholder.close();
  }

  @Test
  void answersPipelinedRequestsInOrder() throws Exception {
    EmbeddedChannel channel = connection();
    ByteBuf both = Unpooled.wrappedBuffer(request("slow"), request("fast"));
    try (FileChannel slow = file("slow");
        FileChannel fast = file("fast")) {
      channel.writeInbound(both);
      assertThat(channel.config().isAutoRead()).isFalse();

      int slowNumber = descriptors.of(slow);
      int fastNumber = descriptors.of(fast);
      opening.get("fast").complete(List.of(Optional.of(fast)));
      channel.runPendingTasks();
      assertThat(channel.<Object>readOutbound()).isNull();

      opening.get("slow").complete(List.of(Optional.of(slow)));
      channel.runPendingTasks();
      assertThat(channel.<FileDescriptor>readOutbound().intValue()).isEqualTo(slowNumber);
      assertThat(channel.<FileDescriptor>readOutbound().intValue()).isEqualTo(fastNumber);
      assertThat(channel.config().isAutoRead()).isTrue();
      assertThat(slow.isOpen()).as("sent").isFalse();
      assertThat(fast.isOpen()).as("sent").isFalse();
    }
    channel.finishAndReleaseAll();
  }

  @Test
  void answersAnAbsentFileWithThePlaceholder() {
    EmbeddedChannel channel = connection();
    channel.writeInbound(request("absent"));
    opening.get("absent").complete(List.of(Optional.empty()));
    channel.runPendingTasks();
    assertThat(channel.<FileDescriptor>readOutbound()).isNotNull();
    assertThat(counters.absentFiles()).isEqualTo(1);
    assertThat(counters.files()).isZero();
    channel.finishAndReleaseAll();
  }

  @Test
  void ignoresRequestsAfterARefusedOne() {
    EmbeddedChannel channel = connection();
    channel.writeInbound(Unpooled.wrappedBuffer(request(), request("late")));
    assertThat(channel.isOpen()).isFalse();
    assertThat(opening).isEmpty();
    assertThat(denials).singleElement().asString().contains("0 files");
    channel.finishAndReleaseAll();
  }

  @Test
  void closesAConnectionWithoutAFirstRequest() {
    EmbeddedChannel channel = connection();
    channel.writeInbound(Unpooled.buffer().writeIntLE(100).writeByte(RUN_FILES));
    for (int i = 0; i < 9; i++) {
      pass(channel, FIRST_MS / 10);
      channel.writeInbound(Unpooled.buffer().writeByte(0));
    }
    assertThat(channel.isOpen()).isTrue();
    pass(channel, FIRST_MS / 10);
    assertThat(channel.isOpen()).as("an incomplete request does not count").isFalse();
    assertThat(denials).containsExactly("no request after a handshake within " + FIRST_MS + " ms");
    channel.finishAndReleaseAll();
  }

  @Test
  void closesAnIdleConnection() {
    EmbeddedChannel channel = connection();
    for (int i = 0; i < 3; i++) {
      pass(channel, FIRST_MS / 2);
      channel.writeInbound(request("absent"));
      pass(channel, IDLE_MS - 1);
      opening.remove("absent").complete(List.of(Optional.empty()));
      channel.runPendingTasks();
      assertThat(channel.<FileDescriptor>readOutbound()).isNotNull();
    }
    pass(channel, IDLE_MS - 1);
    assertThat(channel.isOpen()).isTrue();
    pass(channel, 1);
    assertThat(channel.isOpen()).isFalse();
    assertThat(denials).as("an idle close is not a denial").isEmpty();
    channel.finishAndReleaseAll();
  }

  @Test
  void closesAConnectionWhoseFilesOpenTooLateAndTheirFiles() throws Exception {
    EmbeddedChannel channel = connection();
    channel.writeInbound(request("slow"));
    pass(channel, IDLE_MS);
    assertThat(channel.isOpen()).isFalse();
    try (FileChannel late = file("slow")) {
      opening.get("slow").complete(List.of(Optional.of(late)));
      channel.runPendingTasks();
      assertThat(late.isOpen()).isFalse();
    }
    channel.finishAndReleaseAll();
  }

  @Test
  void closesAConnectionWithTooManyPendingRequests() {
    EmbeddedChannel channel = connection();
    ByteBuf many = Unpooled.buffer();
    for (int i = 0; i < 100; i++) {
      many.writeBytes(request("slow"));
    }
    channel.writeInbound(many);
    assertThat(channel.isOpen()).isFalse();
    assertThat(denials).singleElement().asString().contains("pending requests");
    opening.get("slow").complete(List.of(Optional.empty()));
    channel.runPendingTasks();
    channel.finishAndReleaseAll();
  }

  /** Otherwise a client that accepts no answers could make the server open any number of files. */
  @Test
  void readsNoFurtherRequestUntilTheClientAcceptsTheAnswer() throws Exception {
    EmbeddedChannel channel = connection();
    List<ChannelPromise> notAccepted = new ArrayList<>();
    channel
        .pipeline()
        .addFirst(
            new ChannelOutboundHandlerAdapter() {
              @Override
              public void write(
                  ChannelHandlerContext context, Object message, ChannelPromise done) {
                notAccepted.add(done);
              }
            });
    channel.writeInbound(request("a"));
    FileChannel file = file("a");
    opening.get("a").complete(List.of(Optional.of(file)));
    channel.runPendingTasks();
    assertThat(notAccepted).hasSize(1);
    assertThat(channel.config().isAutoRead()).isFalse();
    assertThat(file.isOpen()).isTrue();
    assertThat(pendingFiles).isEqualTo(1);

    notAccepted.get(0).setSuccess();
    assertThat(channel.config().isAutoRead()).isTrue();
    assertThat(file.isOpen()).isFalse();
    channel.finishAndReleaseAll();
  }

  @Test
  void opensNoFilesBeyondTheLimitOfItsUser() {
    EmbeddedChannel channel = connection();
    pendingFiles = MAX_PENDING - 1;
    channel.writeInbound(request("a", "b"));
    channel.runPendingTasks();
    assertThat(opening).isEmpty();
    assertThat(channel.outboundMessages()).hasSize(2);
    assertThat(counters.absentFiles()).isEqualTo(2);
    assertThat(channel.isOpen()).isTrue();
    channel.writeInbound(request("c"));
    assertThat(opening).containsOnlyKeys("c");
    opening.get("c").complete(List.of(Optional.empty()));
    channel.runPendingTasks();
    assertThat(pendingFiles).isEqualTo(MAX_PENDING - 1);
    pendingFiles = 0;
    channel.finishAndReleaseAll();
  }

  @Test
  void refusesALongRequestByItsLength() {
    EmbeddedChannel channel = connection();
    channel.writeInbound(Unpooled.buffer().writeIntLE(4097).writeByte(RUN_FILES));
    assertThat(channel.isOpen()).isFalse();
    assertThat(denials).containsExactly("message refused: RUN_FILES has 4097 bytes, maximum 4096");
    channel.finishAndReleaseAll();
  }

  @Test
  void acceptsTheLongestRequest() {
    String[] names = new String[64];
    java.util.Arrays.fill(names, "0".repeat(32) + ".run");
    RunFileRequest longest =
        RunFileRequest.newBuilder()
            .setShuffle(
                ShuffleId.newBuilder()
                    .setApplication("a".repeat(256))
                    .setShuffle(Integer.MAX_VALUE))
            .setEpoch(Long.MAX_VALUE)
            .addAllNames(List.of(names))
            .build();
    EmbeddedChannel channel = connection("a".repeat(256));
    channel.writeInbound(framed(longest));
    assertThat(channel.isOpen()).isTrue();
    assertThat(opening).hasSize(1);
    opening.values().iterator().next().complete(Collections.nCopies(64, Optional.empty()));
    channel.runPendingTasks();
    channel.finishAndReleaseAll();
  }

  /** A connection with the server's pipeline and a manual clock. */
  private EmbeddedChannel connection() {
    return connection("app");
  }

  private EmbeddedChannel connection(String application) {
    EmbeddedChannel channel = new EmbeddedChannel();
    channel.freezeTime();
    channel
        .pipeline()
        .addLast(
            new LocalFrameDecoder(() -> LocalSocketFrame.RUN_FILES, denials::add),
            new RequestDeadline(FIRST_MS, IDLE_MS, denials::add),
            new RunFileRequests(application, this::open, pending, sent, counters, denials::add));
    return channel;
  }

  private static void pass(EmbeddedChannel channel, long ms) {
    channel.advanceTimeBy(ms, TimeUnit.MILLISECONDS);
    channel.runScheduledPendingTasks();
  }

  private CompletableFuture<List<Optional<FileChannel>>> open(RunFileRequest request) {
    return opening.computeIfAbsent(request.getNames(0), unused -> new CompletableFuture<>());
  }

  private FileChannel file(String name) throws IOException {
    return FileChannel.open(Files.createFile(directory.resolve(name)), StandardOpenOption.READ);
  }

  private static ByteBuf request(String... names) {
    return framed(
        RunFileRequest.newBuilder()
            .setShuffle(ShuffleId.newBuilder().setApplication("app").setShuffle(1))
            .addAllNames(List.of(names))
            .build());
  }

  private static ByteBuf framed(RunFileRequest request) {
    byte[] bytes = request.toByteArray();
    return Unpooled.buffer().writeIntLE(bytes.length).writeByte(RUN_FILES).writeBytes(bytes);
  }
}
