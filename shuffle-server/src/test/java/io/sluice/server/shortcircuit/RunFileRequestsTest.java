package io.sluice.server.shortcircuit;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.unix.FileDescriptor;
import io.sluice.proto.RunFileRequest;
import io.sluice.proto.ShuffleId;
import io.sluice.server.nativeio.Descriptors;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RunFileRequestsTest {
  @TempDir Path directory;

  private final Map<String, CompletableFuture<List<Optional<FileChannel>>>> opening =
      new HashMap<>();
  private final Descriptors descriptors = Descriptors.find();
  private final ShortCircuitCounters counters = new ShortCircuitCounters();

  @Test
  void answersRequestsThatCameTogetherInTheirOrder() throws Exception {
    EmbeddedChannel channel =
        new EmbeddedChannel(
            RunFileRequests.decoder(),
            new RunFileRequests(this::open, request -> {}, descriptors, counters));
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
  void answersWithNothingWhereThereIsNoFile() {
    EmbeddedChannel channel =
        new EmbeddedChannel(
            RunFileRequests.decoder(),
            new RunFileRequests(this::open, request -> {}, descriptors, counters));
    channel.writeInbound(request("gone"));
    opening.get("gone").complete(List.of(Optional.empty()));
    channel.runPendingTasks();
    assertThat(channel.<FileDescriptor>readOutbound()).isNotNull();
    assertThat(counters.absentFiles()).isEqualTo(1);
    assertThat(counters.files()).isZero();
    channel.finishAndReleaseAll();
  }

  @Test
  void doesNothingOfWhatFollowsARefusedRequest() {
    EmbeddedChannel channel =
        new EmbeddedChannel(
            RunFileRequests.decoder(),
            new RunFileRequests(this::open, request -> {}, descriptors, counters));
    channel.writeInbound(Unpooled.wrappedBuffer(request(), request("late")));
    assertThat(channel.isOpen()).isFalse();
    assertThat(opening).isEmpty();
    channel.finishAndReleaseAll();
  }

  private CompletableFuture<List<Optional<FileChannel>>> open(RunFileRequest request) {
    return opening.computeIfAbsent(request.getNames(0), unused -> new CompletableFuture<>());
  }

  private FileChannel file(String name) throws IOException {
    return FileChannel.open(Files.createFile(directory.resolve(name)), StandardOpenOption.READ);
  }

  private static ByteBuf request(String... names) {
    byte[] bytes =
        RunFileRequest.newBuilder()
            .setShuffle(ShuffleId.newBuilder().setApplication("app").setShuffle(1))
            .addAllNames(List.of(names))
            .build()
            .toByteArray();
    return Unpooled.buffer().writeIntLE(bytes.length).writeBytes(bytes);
  }
}
