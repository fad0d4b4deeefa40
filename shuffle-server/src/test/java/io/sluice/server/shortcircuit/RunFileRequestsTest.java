package io.sluice.server.shortcircuit;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.unix.FileDescriptor;
import io.sluice.proto.RunFileRequest;
import io.sluice.proto.ShuffleId;
import io.sluice.server.nativeio.Descriptors;
import io.sluice.server.shortcircuit.RunFileHandout.Held;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RunFileRequestsTest {
  private static final FileDescriptor NOTHING = new FileDescriptor(1_000_000);

  @TempDir Path directory;

  private final Map<String, CompletableFuture<List<Held>>> opening = new HashMap<>();
  private final Descriptors descriptors = Descriptors.find();

  @Test
  void answersRequestsThatCameTogetherInTheirOrder() throws Exception {
    EmbeddedChannel channel =
        new EmbeddedChannel(
            RunFileRequests.decoder(),
            new RunFileRequests(
                this::open, request -> {}, descriptors, NOTHING, new ShortCircuitCounters()));
    ByteBuf both = Unpooled.wrappedBuffer(request("slow"), request("fast"));
    try (FileChannel slow = file("slow");
        FileChannel fast = file("fast")) {
      channel.writeInbound(both);
      assertThat(channel.config().isAutoRead()).isFalse();

      opening.get("fast").complete(List.of(new Held(null, fast)));
      channel.runPendingTasks();
      assertThat(channel.<Object>readOutbound()).isNull();

      opening.get("slow").complete(List.of(new Held(null, slow)));
      channel.runPendingTasks();
      assertThat(channel.<FileDescriptor>readOutbound().intValue()).isEqualTo(descriptors.of(slow));
      assertThat(channel.<FileDescriptor>readOutbound().intValue()).isEqualTo(descriptors.of(fast));
      assertThat(channel.config().isAutoRead()).isTrue();
    }
    channel.finishAndReleaseAll();
  }

  @Test
  void answersWithNothingWhereThereIsNoFile() {
    EmbeddedChannel channel =
        new EmbeddedChannel(
            RunFileRequests.decoder(),
            new RunFileRequests(
                this::open, request -> {}, descriptors, NOTHING, new ShortCircuitCounters()));
    channel.writeInbound(request("gone"));
    opening.get("gone").complete(List.of(new Held(null, null)));
    channel.runPendingTasks();
    assertThat(channel.<FileDescriptor>readOutbound()).isSameAs(NOTHING);
    channel.finishAndReleaseAll();
  }

  @Test
  void doesNothingOfWhatFollowsARefusedRequest() {
    EmbeddedChannel channel =
        new EmbeddedChannel(
            RunFileRequests.decoder(),
            new RunFileRequests(
                this::open, request -> {}, descriptors, NOTHING, new ShortCircuitCounters()));
    channel.writeInbound(Unpooled.wrappedBuffer(request(), request("late")));
    assertThat(channel.isOpen()).isFalse();
    assertThat(opening).isEmpty();
    channel.finishAndReleaseAll();
  }

  private CompletableFuture<List<Held>> open(RunFileRequest request) {
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
