package io.sluice.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import io.sluice.proto.DiskState;
import io.sluice.proto.GetStatusReply;
import io.sluice.proto.GetStatusRequest;
import io.sluice.proto.LostStretch;
import io.sluice.proto.PartitionState;
import io.sluice.proto.Presence;
import io.sluice.proto.ServerState;
import io.sluice.proto.ShuffleServerControlGrpc;
import io.sluice.server.cluster.FakeCoordinator;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A real server on two real directories, one of which is lost and recovers. */
class LostDirectoryTest {
  private static final long DEADLINE_NANOS = TimeUnit.SECONDS.toNanos(60);
  private static final int PUSHES = 120;
  private static final int PAYLOAD_BYTES = 100_000;

  @TempDir Path base;
  private FakeCoordinator coordinator;
  private ShuffleServerProcess server;
  private Path first;

  @BeforeEach
  void start() throws Exception {
    coordinator = new FakeCoordinator(0);
    first = base.resolve("first");
    server =
        ShuffleServerProcess.start(
            TestServers.config(
                coordinator.address(),
                base,
                Map.of(
                    // Spilling starts after a few pushes, so that both disks are written.
                    "rss.server.memory.shuffle.highWaterMark.percentage",
                    "15",
                    "rss.server.memory.shuffle.lowWaterMark.percentage",
                    "5",
                    "rss.storage.basePath",
                    first + ":SSD," + base.resolve("second") + ":SSD",
                    "rss.server.health.check.interval.ms",
                    "20",
                    "rss.server.health.check.successes",
                    "2",
                    // On a busy test machine, disks must not be marked slow.
                    "rss.server.disk.slow.threshold",
                    "10m")));
  }

  @AfterEach
  void stop() {
    server.close();
    coordinator.close();
  }

  @Test
  void reportsDataOfALostDirectoryAsLostAndServesTheRest() throws Exception {
    try (RawClient client = new RawClient(server.nettyPort(), "app")) {
      for (int attempt = 0; attempt < PUSHES; attempt++) {
        client.push(0, 0, attempt, payload(attempt));
      }
      await(now -> now.getLoad().getDisksList().stream().allMatch(d -> d.getWrittenBytes() > 0));

      Path away = base.resolve("away");
      Files.move(first, away);
      GetStatusReply lost = await(now -> now.getLostRuns() > 0);
      assertThat(lost.getState())
          .as("the other directory accepts data")
          .isEqualTo(ServerState.ACTIVE);
      assertThat(disk(lost).getHealth()).isEqualTo(DiskState.Health.LOST);
      assertThat(disk(lost).getCause()).isEqualTo("VANISHED");
      assertThat(disk(lost).getHealthy()).isFalse();

      PartitionState state = client.open(0, 0, server.epoch()).getPartitions(0);
      assertThat(state.getPresence()).isEqualTo(Presence.PRESENT);
      List<LostStretch> lostRanges = state.getLostList();
      assertThat(lostRanges).isNotEmpty();
      long block = state.getLength() / PUSHES;
      int lostBlocks = 0;
      for (int attempt = 0; attempt < PUSHES; attempt++) {
        long offset = attempt * block;
        boolean isLost =
            lostRanges.stream()
                .anyMatch(
                    range ->
                        offset >= range.getOffset()
                            && offset < range.getOffset() + range.getLength());
        if (isLost) {
          lostBlocks++;
          assertThatThrownBy(() -> client.fetch(0, 0, offset, block))
              .isInstanceOfSatisfying(
                  SluiceException.class, e -> assertThat(e.code()).isEqualTo(StatusCode.LOST));
        } else {
          byte[] found = client.fetch(0, 0, offset, block);
          assertThat(end(found)).isEqualTo(payload(attempt));
        }
      }
      assertThat(lostBlocks).isBetween(1, PUSHES - 1);

      Files.move(away, first);
      GetStatusReply recovered = await(now -> disk(now).getHealth() == DiskState.Health.HEALTHY);
      assertThat(recovered.getLostRuns()).isEqualTo(lost.getLostRuns());
      try (Stream<Path> files = Files.list(first.resolve("runs"))) {
        assertThat(files).noneMatch(file -> file.toString().endsWith(".run"));
      }
      for (int attempt = PUSHES; attempt < 2 * PUSHES; attempt++) {
        client.push(0, 1, attempt, payload(attempt));
      }
      long written = disk(recovered).getWrittenBytes();
      await(now -> disk(now).getWrittenBytes() > written);
      for (int attempt = PUSHES; attempt < 2 * PUSHES; attempt++) {
        byte[] found = client.fetch(0, 1, (attempt - PUSHES) * block, block);
        assertThat(end(found)).isEqualTo(payload(attempt));
      }
    }
  }

  @Test
  void isUnhealthyWithoutDirectoriesAndHealthyAfterOneRecovers() throws Exception {
    Path away = base.resolve("away");
    Path second = base.resolve("second");
    Files.move(first, away);
    Files.move(second, base.resolve("also-away"));
    await(now -> now.getState() == ServerState.UNHEALTHY);
    Files.move(away, first);
    await(now -> now.getState() == ServerState.ACTIVE);
    Files.move(base.resolve("also-away"), second);
  }

  private DiskState disk(GetStatusReply status) {
    return status.getLoad().getDisksList().stream()
        .filter(each -> each.getPath().equals(first.toString()))
        .findFirst()
        .orElseThrow();
  }

  private GetStatusReply await(Predicate<GetStatusReply> condition) throws IOException {
    ManagedChannel channel =
        ManagedChannelBuilder.forAddress("127.0.0.1", server.rpcPort()).usePlaintext().build();
    try {
      long deadline = System.nanoTime() + DEADLINE_NANOS;
      while (true) {
        GetStatusReply status =
            ShuffleServerControlGrpc.newBlockingStub(channel)
                .withDeadlineAfter(30, TimeUnit.SECONDS)
                .getStatus(GetStatusRequest.getDefaultInstance());
        if (condition.test(status)) {
          return status;
        }
        assertThat(System.nanoTime()).as("deadline; %s", status).isLessThan(deadline);
      }
    } finally {
      channel.shutdownNow();
    }
  }

  /** The last bytes of a block that was read, without its header. */
  private static byte[] end(byte[] block) {
    return Arrays.copyOfRange(block, block.length - PAYLOAD_BYTES, block.length);
  }

  private static byte[] payload(int attempt) {
    byte[] payload = new byte[PAYLOAD_BYTES];
    new Random(attempt).nextBytes(payload);
    return payload;
  }
}
