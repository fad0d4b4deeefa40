package io.sluice.server.net;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.unix.FileDescriptor;
import io.sluice.common.auth.ApplicationToken;
import io.sluice.proto.RunFileRequest;
import io.sluice.proto.ShuffleId;
import io.sluice.server.disk.Descriptors;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RunFileRequestsTest {
  private static final int FIRST_MS = 30_000;
  private static final int IDLE_MS = 60_000;

  @TempDir Path directory;

  private final Map<String, CompletableFuture<List<Optional<FileChannel>>>> opening =
      new HashMap<>();
  private final Descriptors descriptors = Descriptors.find();
  private final ShortCircuitCounters counters = new ShortCircuitCounters();
  private final List<String> denials = new ArrayList<>();

  @Test
  void answersPipelinedRequestsInOrder() throws Exception {
    EmbeddedChannel channel =
        new EmbeddedChannel(
            RunFileRequests.decoder(),
            new RunFileRequests(this::open, request -> {}, descriptors, counters, denials::add));
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
    EmbeddedChannel channel =
        new EmbeddedChannel(
            RunFileRequests.decoder(),
            new RunFileRequests(this::open, request -> {}, descriptors, counters, denials::add));
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
    EmbeddedChannel channel =
        new EmbeddedChannel(
            RunFileRequests.decoder(),
            new RunFileRequests(this::open, request -> {}, descriptors, counters, denials::add));
    channel.writeInbound(Unpooled.wrappedBuffer(request(), request("late")));
    assertThat(channel.isOpen()).isFalse();
    assertThat(opening).isEmpty();
    assertThat(denials).singleElement().asString().contains("0 files");
    channel.finishAndReleaseAll();
  }

  @Test
  void closesAConnectionWithoutAFirstRequest() {
    EmbeddedChannel channel = connection();
    channel.writeInbound(Unpooled.buffer().writeIntLE(100));
    for (int i = 0; i < 9; i++) {
      pass(channel, FIRST_MS / 10);
      channel.writeInbound(Unpooled.buffer().writeByte(0));
    }
    assertThat(channel.isOpen()).isTrue();
    pass(channel, FIRST_MS / 10);
    assertThat(channel.isOpen()).as("an incomplete request does not count").isFalse();
    assertThat(denials).containsExactly("no request within " + FIRST_MS + " ms");
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
    channel.finishAndReleaseAll();
  }

  @Test
  void refusesALongRequestByItsLength() {
    EmbeddedChannel channel = connection();
    channel.writeInbound(Unpooled.buffer().writeIntLE(RunFileRequests.MAX_REQUEST_BYTES + 1));
    assertThat(channel.isOpen()).isFalse();
    assertThat(denials).singleElement().asString().contains("8192 bytes");
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
            .setToken(ByteString.copyFrom(new byte[ApplicationToken.MAX_LENGTH]))
            .setMac(ByteString.copyFrom(new byte[32]))
            .build();
    EmbeddedChannel channel = connection();
    channel.writeInbound(framed(longest));
    assertThat(channel.isOpen()).isTrue();
    assertThat(opening).hasSize(1);
    channel.finishAndReleaseAll();
  }

  /** A connection with the server's pipeline and a manual clock. */
  private EmbeddedChannel connection() {
    EmbeddedChannel channel = new EmbeddedChannel();
    channel.freezeTime();
    channel
        .pipeline()
        .addLast(
            RunFileRequests.decoder(),
            new RequestDeadline(FIRST_MS, IDLE_MS, denials::add),
            new RunFileRequests(this::open, request -> {}, descriptors, counters, denials::add));
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
    return Unpooled.buffer().writeIntLE(bytes.length).writeBytes(bytes);
  }
}
