package io.sluice.it.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import io.sluice.client.SluiceClient;
import io.sluice.client.coordinator.ApplicationSession;
import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.client.push.ApplicationAssignments;
import io.sluice.client.push.MapAttempt;
import io.sluice.client.push.PushOptions;
import io.sluice.client.push.PushSession;
import io.sluice.client.push.ReplacementServers;
import io.sluice.client.read.ShuffleBlock;
import io.sluice.client.read.ShuffleRead;
import io.sluice.client.read.ShuffleReadRequest;
import io.sluice.it.cluster.InProcessCluster;
import io.sluice.proto.DecommissionRequest;
import io.sluice.proto.GetStatusReply;
import io.sluice.proto.GetStatusRequest;
import io.sluice.proto.ShuffleServerControlGrpc;
import io.sluice.proto.Status;
import io.sluice.server.ShuffleServerProcess;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A decommissioned server moves its data to another one while a client writes and reads. */
@Timeout(120)
class MoveTest {
  private static final int PARTITIONS = 20;
  private static final int MAPS = 4;

  @TempDir Path directory;

  private InProcessCluster cluster;
  private SluiceClient client;
  private ApplicationAssignments driver;

  @BeforeEach
  void start() throws Exception {
    cluster = new InProcessCluster(directory);
    // Drivers renew their lease, and receive moves, every second.
    cluster.startCoordinator(
        Map.of(
            "rss.coordinator.app.expired", "3s",
            "rss.coordinator.server.heartbeat.interval", "100ms"));
    client = cluster.startClient("app-1", Map.of());
    ApplicationSession session = client.applicationSession("me");
    driver = new ApplicationAssignments(session::replacementServer, 10, System::nanoTime);
    session.onMoved(driver::moved);
  }

  @AfterEach
  void stop() throws Exception {
    cluster.close();
  }

  private ShuffleServerProcess startServer(String name, String memory) throws Exception {
    return cluster.startServer(
        name,
        Map.of(
            "rss.server.buffer.capacity",
            memory,
            "rss.server.decommission.check.interval",
            "100ms",
            "rss.server.termination.file",
            notice(name).toString()));
  }

  private boolean hasRuns(String name) throws IOException {
    try (Stream<Path> files = Files.walk(directory.resolve(name))) {
      return files.anyMatch(file -> file.toString().endsWith(".run"));
    }
  }

  /** The file that announces the end of a server's machine. */
  private Path notice(String name) {
    return directory.resolve("end-of-" + name);
  }

  /** A shuffle on the only server. */
  private ShuffleAssignment register() {
    ShuffleAssignment assignment = InProcessCluster.awaitAssignment(client, PARTITIONS, 1);
    driver.register(assignment);
    return assignment;
  }

  private ShuffleServerControlGrpc.ShuffleServerControlBlockingStub control(
      ShuffleServerProcess server) {
    ManagedChannel channel =
        NettyChannelBuilder.forAddress("127.0.0.1", server.rpcPort()).usePlaintext().build();
    cluster.closing(channel::shutdownNow);
    return ShuffleServerControlGrpc.newBlockingStub(channel);
  }

  private void move(ShuffleServerProcess server) {
    assertThat(
            control(server)
                .decommission(DecommissionRequest.newBuilder().setMove(true).build())
                .getStatus())
        .isEqualTo(Status.OK);
  }

  private static void awaitGone(ShuffleServerProcess server) throws Exception {
    server.decommissioned().toCompletableFuture().get(60, TimeUnit.SECONDS);
    server.close();
  }

  private PushSession session(ShuffleAssignment known, int map) {
    ReplacementServers replacements =
        (assignment, server, cause, partitions) ->
            CompletableFuture.completedFuture(
                driver.replace(known.shuffle().getShuffle(), server, cause, partitions));
    return client.pushSession(
        known, new MapAttempt(map, map), new PushOptions(null, replacements, null));
  }

  private static void add(PushSession session, int map, int round, int bytes) throws Exception {
    Random random = new Random(map);
    byte[] content = new byte[bytes];
    for (int partition = 0; partition < PARTITIONS; partition++) {
      random.nextBytes(content);
      ByteBuffer.wrap(content).putInt(partition).putInt(map).putInt(round);
      session.add(partition, content, 0, content.length, 1);
    }
  }

  private void push(ShuffleAssignment known, int map, int bytes) throws Exception {
    try (PushSession session = session(known, map)) {
      session.beginFinalPass();
      add(session, map, 0, bytes);
      session.finish();
    }
  }

  /** Reads all pushed blocks and checks that each exists once. */
  private void readAll(ShuffleAssignment known, int maps, int rounds) throws Exception {
    ShuffleReadRequest.Builder request =
        ShuffleReadRequest.builder(known)
            .newest(
                asked ->
                    CompletableFuture.completedFuture(driver.newest(asked.shuffle().getShuffle())));
    for (int partition = 0; partition < PARTITIONS; partition++) {
      for (int map = 0; map < maps; map++) {
        request.expect(partition, map, map);
      }
    }
    Set<String> found = new HashSet<>();
    try (ShuffleRead read = client.read(request.build())) {
      for (ShuffleBlock block = read.next(); block != null; block = read.next()) {
        ByteBuffer content = block.content();
        assertThat(found.add(content.getInt() + "/" + content.getInt() + "/" + content.getInt()))
            .isTrue();
      }
    }
    assertThat(found).hasSize(PARTITIONS * maps * rounds);
  }

  @ParameterizedTest
  @CsvSource({"memory, 64m, 2000", "run files, 16m, 250000"})
  void movedDataIsReadFromTheTargetServer(String where, String memory, int bytes) throws Exception {
    ShuffleServerProcess leaving = startServer("a", memory);
    ShuffleAssignment before = register();
    for (int map = 0; map < MAPS; map++) {
      push(before, map, bytes);
    }
    GetStatusReply status = control(leaving).getStatus(GetStatusRequest.getDefaultInstance());
    assertThat(status.getSpilledRuns() > 0).as(where).isEqualTo(where.equals("run files"));
    assertThat(hasRuns("a")).isEqualTo(where.equals("run files"));
    ShuffleServerProcess other = startServer("b", memory);

    move(leaving);
    awaitGone(leaving);

    assertThat(hasRuns("a")).as("the server that left has run files").isFalse();

    ShuffleAssignment after = driver.newest(0);
    assertThat(after.generation()).isEqualTo(1);
    readAll(after, MAPS, 1);
    readAll(before, MAPS, 1);
    assertThat(control(other).getStatus(GetStatusRequest.getDefaultInstance()).getPushedBlocks())
        .isEqualTo(status.getPushedBlocks());
  }

  @Test
  void anAnnouncedEndOfTheMachineMovesTheData() throws Exception {
    ShuffleServerProcess leaving = startServer("a", "64m");
    ShuffleAssignment known = register();
    push(known, 0, 2_000);
    startServer("b", "64m");

    Files.createFile(notice("a"));
    awaitGone(leaving);

    readAll(known, 1, 1);
    assertThat(driver.newest(0).generation()).isEqualTo(1);
  }

  @Test
  void dataPushedDuringADecommissionIsOnOneOfTheTwoServers() throws Exception {
    ShuffleServerProcess leaving = startServer("a", "64m");
    ShuffleAssignment before = register();
    startServer("b", "64m");
    int bytes = 2000;
    push(before, 0, bytes);
    try (PushSession late = session(before, 1)) {
      add(late, 1, 0, bytes);
      move(leaving);
      CompletableFuture<Void> left = leaving.decommissioned().toCompletableFuture();
      int round = 1;
      while (!left.isDone() && round < 10_000) {
        add(late, 1, round++, bytes);
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
      }
      left.get(60, TimeUnit.SECONDS);
      leaving.close();
      add(late, 1, round++, bytes);
      late.finish();

      push(driver.newest(0), 2, bytes);
      readSome(before, round);
    }
  }

  private void readSome(ShuffleAssignment known, int rounds) throws Exception {
    ShuffleReadRequest.Builder request =
        ShuffleReadRequest.builder(known)
            .newest(asked -> CompletableFuture.completedFuture(driver.newest(0)));
    int[] roundsOf = {1, rounds, 1};
    for (int partition = 0; partition < PARTITIONS; partition++) {
      for (int map = 0; map < roundsOf.length; map++) {
        request.expect(partition, map, map);
      }
    }
    int contents = 0;
    try (ShuffleRead read = client.read(request.build())) {
      for (ShuffleBlock block = read.next(); block != null; block = read.next()) {
        contents++;
      }
    }
    assertThat(contents).isEqualTo(PARTITIONS * (rounds + 2));
  }

  @Test
  void aCancelledMoveKeepsTheServerInService() throws Exception {
    ShuffleServerProcess staying = startServer("a", "64m");
    ShuffleAssignment before = register();
    push(before, 0, 1000);
    // There is no target server for the move.
    move(staying);
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    String waits = "";
    while (waits.isEmpty() && System.nanoTime() < deadline) {
      waits =
          control(staying)
              .getStatus(GetStatusRequest.getDefaultInstance())
              .getLoad()
              .getMove()
              .getWaitsFor();
    }
    assertThat(waits)
        .startsWith(
            "application=app-1 shuffle=0: no server can receive the data of server 127.0.0.1:"
                + staying.rpcPort()
                + ": 1 servers known: 1 ");

    assertThat(
            control(staying)
                .decommission(DecommissionRequest.newBuilder().setCancel(true).build())
                .getStatus())
        .isEqualTo(Status.OK);

    push(before, 1, 1000);
    readAll(before, 2, 1);
    assertThat(
            control(staying).getStatus(GetStatusRequest.getDefaultInstance()).getLoad().hasMove())
        .isFalse();
  }
}
