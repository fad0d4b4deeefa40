package io.sluice.server.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import io.sluice.common.fuzz.DecoderFuzz;
import io.sluice.proto.RunFileRequest;
import io.sluice.proto.ShuffleId;
import io.sluice.server.disk.Descriptors;
import io.sluice.transport.protocol.LocalSocketFrame;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class RunFileRequestsFuzzTest {
  private static final int MAX_FILES = 64;

  private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true, true);
  private final Descriptors descriptors = Descriptors.find();
  private FileChannel placeholder;

  private static final class NoLimit implements RunFileRequests.PendingFiles {
    @Override
    public boolean reserve(int files) {
      return true;
    }

    @Override
    public void release(int files) {}
  }

  @BeforeEach
  void openPlaceholder() throws IOException {
    placeholder = FileChannel.open(Path.of("/dev/null"), StandardOpenOption.READ);
  }

  @AfterEach
  void closePlaceholder() throws IOException {
    placeholder.close();
  }

  private static byte[] requests(RunFileRequest... requests) {
    int length = 0;
    for (RunFileRequest request : requests) {
      length += LocalSocketFrame.HEADER_LENGTH + request.getSerializedSize();
    }
    ByteBuffer bytes = ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
    for (RunFileRequest request : requests) {
      bytes
          .putInt(request.getSerializedSize())
          .put((byte) LocalSocketFrame.RUN_FILES.wireNumber())
          .put(request.toByteArray());
    }
    return bytes.array();
  }

  private static RunFileRequest request(String... names) {
    return RunFileRequest.newBuilder()
        .setShuffle(ShuffleId.newBuilder().setApplication("app").setShuffle(1))
        .setEpoch(7)
        .addAllNames(List.of(names))
        .build();
  }

  @Test
  void answersOrClosesAndReleasesEverything() {
    DecoderFuzz.of(requests(request("a")), requests(request("a", "b"), request("c")))
        .run(
            input -> {
              List<RunFileRequest> asked = new ArrayList<>();
              List<RunFileRequest> askedTooLate = new ArrayList<>();
              EmbeddedChannel channel = new EmbeddedChannel();
              channel.config().setAllocator(allocator);
              channel
                  .pipeline()
                  .addLast(
                      new LocalFrameDecoder(() -> LocalSocketFrame.RUN_FILES, why -> {}),
                      new RunFileRequests(
                          "app",
                          request -> {
                            (channel.isActive() ? asked : askedTooLate).add(request);
                            return CompletableFuture.completedFuture(
                                Collections.nCopies(request.getNamesCount(), Optional.empty()));
                          },
                          new NoLimit(),
                          new RunFileRequests.SentDescriptors(descriptors, placeholder),
                          new ShortCircuitCounters(),
                          why -> {}));
              int step = 1 + input.length % 97;
              for (int at = 0; at < input.length && channel.isActive(); at += step) {
                int length = Math.min(step, input.length - at);
                channel.writeInbound(allocator.buffer(length).writeBytes(input, at, length));
              }
              channel.checkException();
              assertThat(askedTooLate).isEmpty();
              assertThat(asked)
                  .map(RunFileRequest::getNamesCount)
                  .allMatch(count -> count >= 1 && count <= MAX_FILES);
              assertThat(
                      asked.stream()
                          .map(request -> request.getShuffle().getApplication())
                          .distinct())
                  .hasSizeLessThanOrEqualTo(1);
              if (channel.isActive()) {
                assertThat(channel.config().isAutoRead()).isTrue();
                assertThat(channel.outboundMessages())
                    .hasSize(asked.stream().mapToInt(RunFileRequest::getNamesCount).sum());
              }
              channel.finishAndReleaseAll();
              assertThat(usedBytes()).isZero();
            });
  }

  private long usedBytes() {
    return allocator.metric().usedDirectMemory() + allocator.metric().usedHeapMemory();
  }
}
