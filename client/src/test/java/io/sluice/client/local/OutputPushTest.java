package io.sluice.client.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.client.fake.FakeCluster;
import io.sluice.client.fake.FakeTransport.Fate;
import io.sluice.client.fake.FakeTransport.Faults;
import io.sluice.client.push.FramedPushSession;
import io.sluice.client.push.PushFailedException;
import io.sluice.client.push.SealedPush;
import io.sluice.client.read.ShuffleBlock;
import io.sluice.client.read.ShuffleRead;
import io.sluice.client.read.ShuffleReadRequest;
import io.sluice.common.block.BlockHeader;
import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import io.sluice.proto.Push;
import io.sluice.proto.ServerId;
import java.io.EOFException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class OutputPushTest {
  private static final Faults NONE = new Faults() {};
  private static final long ATTEMPT = 5;

  @TempDir Path directory;

  private static byte[] noise(long seed, int length) {
    byte[] bytes = new byte[length];
    new Random(seed).nextBytes(bytes);
    return bytes;
  }

  private static void add(FramedPushSession session, int partition, int length) throws IOException {
    session.add(partition, noise(partition, length), 0, length, 1);
  }

  private static void addEach(FramedPushSession session, int partitions, int length)
      throws IOException {
    session.beginFinalPass();
    for (int partition = 0; partition < partitions; partition++) {
      add(session, partition, length);
    }
  }

  private FinishedOutput written(
      FakeCluster cluster, ShuffleAssignment assignment, LocalFile.Content content)
      throws IOException {
    return LocalFile.write(directory.resolve("data"), cluster, assignment, ATTEMPT, content);
  }

  private static OutputPush pushOf(FakeCluster cluster, FinishedOutput output, SealedPush push) {
    return new OutputPush(output, push, cluster.allocator(), () -> false);
  }

  private static boolean run(FakeCluster cluster, FinishedOutput output) throws IOException {
    try (SealedPush push = cluster.sealedPush(output.assignment(), output.attempt())) {
      return pushOf(cluster, output, push).run(Long.MAX_VALUE, new SplittableRandom(1));
    }
  }

  static LongStream seeds() {
    return LongStream.range(0, 20);
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void readsBlocksThatWerePushedFromAFile(long seed) throws Exception {
    Random random = new Random(seed);
    try (FakeCluster cluster = FakeCluster.inline(3, NONE)) {
      int partitions = 1 + random.nextInt(60);
      ShuffleAssignment assignment =
          cluster.assign(
              partitions, 1 + random.nextInt(Math.min(partitions, 9)), 1 + random.nextInt(2));
      Map<Integer, List<byte[]>> added = new TreeMap<>();
      FinishedOutput output =
          written(
              cluster,
              assignment,
              session -> {
                int passes = 1 + random.nextInt(3);
                for (int pass = 1; pass <= passes; pass++) {
                  if (pass == passes) {
                    session.beginFinalPass();
                  }
                  for (int partition = 0; partition < partitions; partition++) {
                    if (random.nextInt(3) > 0) {
                      // Up to several frames.
                      int most = random.nextInt(20) == 0 ? 60_000 : 4000;
                      byte[] content = noise(random.nextLong(), 1 + random.nextInt(most));
                      session.add(partition, content, 0, content.length, 3);
                      added.computeIfAbsent(partition, p -> new ArrayList<>()).add(content);
                    }
                  }
                }
              });

      assertThat(run(cluster, output)).isTrue();

      ShuffleReadRequest.Builder request = ShuffleReadRequest.builder(assignment);
      added.keySet().forEach(partition -> request.expect(partition, ATTEMPT, (int) ATTEMPT));
      Map<Integer, List<byte[]>> found = new TreeMap<>();
      try (ShuffleRead read = cluster.read(request.build())) {
        for (ShuffleBlock block = read.next(); block != null; block = read.next()) {
          byte[] content = new byte[block.content().remaining()];
          block.content().get(content);
          found.computeIfAbsent(block.partition(), p -> new ArrayList<>()).add(content);
        }
      }
      assertThat(found.keySet()).isEqualTo(added.keySet());
      added.forEach(
          (partition, batches) ->
              assertThat(found.get(partition).toArray(byte[][]::new))
                  .as("partition " + partition)
                  .isDeepEqualTo(batches.toArray(byte[][]::new)));
    }
  }

  @Test
  void aTaskWithoutSpillsWritesSortedBlocksWithoutEndMarks() throws Exception {
    try (FakeCluster cluster = FakeCluster.inline(2, NONE)) {
      LocalFile local =
          LocalFile.frames(
              cluster,
              cluster.assign(30, 2, 1),
              ATTEMPT,
              null,
              session -> {
                session.beginFinalPass();
                for (int partition = 0; partition < 30; partition++) {
                  add(session, partition, 3000);
                  add(session, partition, 2000);
                }
              });

      assertThat(local.blocks())
          .isSortedAccordingTo(
              (a, b) ->
                  a.partition() == b.partition()
                      ? Integer.compare(a.sequence(), b.sequence())
                      : Integer.compare(a.partition(), b.partition()))
          .hasSize(60)
          .noneMatch(header -> header.payloadLength() == 0);
      assertThat(local.blocks().stream().filter(BlockHeader::isLast)).hasSize(30);
    }
  }

  @Test
  void anEmptyOutputSendsNothing() throws Exception {
    try (FakeCluster cluster = FakeCluster.inline(2, NONE)) {
      FinishedOutput output = written(cluster, cluster.assign(10, 2, 1), session -> {});
      Files.delete(output.data());

      assertThat(run(cluster, output)).isTrue();
      assertThat(cluster.transport().connects()).isZero();
    }
  }

  @Test
  void skipsLargePartitions() throws Exception {
    try (FakeCluster cluster = FakeCluster.inline(2, NONE)) {
      FinishedOutput output =
          written(
              cluster,
              cluster.assign(4, 2, 1),
              session -> {
                session.beginFinalPass();
                add(session, 0, 500);
                add(session, 1, 50_000);
                add(session, 2, 9_000);
                add(session, 3, 500);
              });
      long[] lengths = output.lengths().read();
      try (SealedPush push = cluster.sealedPush(output.assignment(), output.attempt())) {
        OutputPush work = pushOf(cluster, output, push);

        assertThat(work.run(10_000, new SplittableRandom(1))).isTrue();
        assertThat(work.skippedBytes()).isEqualTo(lengths[1]);
        assertThat(work.pushedBytes()).isEqualTo(lengths[0] + lengths[2] + lengths[3]);
      }
      assertThat(cluster.server(0).isComplete(0, ATTEMPT)).isTrue();
      assertThat(cluster.server(0).storedBytes(1)).isZero();
      assertThat(cluster.server(1).isComplete(2, ATTEMPT)).isTrue();
      assertThat(cluster.server(1).isComplete(3, ATTEMPT)).isTrue();
    }
  }

  @Test
  void stopsBetweenTwoFrames() throws Exception {
    try (FakeCluster cluster = FakeCluster.inline(1, NONE)) {
      FinishedOutput output =
          written(cluster, cluster.assign(40, 1, 1), session -> addEach(session, 40, 9_000));
      AtomicInteger asked = new AtomicInteger();
      try (SealedPush push = cluster.sealedPush(output.assignment(), output.attempt())) {
        OutputPush work =
            new OutputPush(output, push, cluster.allocator(), () -> asked.incrementAndGet() > 3);

        assertThat(work.run(Long.MAX_VALUE, new SplittableRandom(1))).isFalse();
        assertThat(cluster.server(0).pushLengths()).hasSize(3);
      }
    }
  }

  @Test
  void reportsADamagedFile() throws Exception {
    try (FakeCluster cluster = FakeCluster.inline(1, NONE)) {
      FinishedOutput output =
          written(
              cluster,
              cluster.assign(2, 1, 1),
              session -> {
                session.beginFinalPass();
                add(session, 0, 5_000);
                add(session, 1, 50_000);
              });
      byte[] bytes = Files.readAllBytes(output.data());

      Files.write(output.data(), java.util.Arrays.copyOf(bytes, 2_000));
      assertThatThrownBy(() -> run(cluster, output))
          .isInstanceOf(EOFException.class)
          .hasMessageContaining("local output truncated")
          .hasMessageContaining(output.data().toString());

      Files.write(output.data(), new byte[bytes.length]);
      try (SealedPush push = cluster.sealedPush(output.assignment(), output.attempt())) {
        assertThatThrownBy(
                () ->
                    new OutputPush(
                            new FinishedOutput(
                                output.assignment(),
                                output.attempt(),
                                output.data(),
                                () -> new long[] {bytes.length, 0},
                                null,
                                () -> true),
                            push,
                            cluster.allocator(),
                            () -> false)
                        .run(Long.MAX_VALUE, new SplittableRandom(1)))
            .isInstanceOf(IOException.class);
      }

      Files.delete(output.data());
      assertThatThrownBy(() -> run(cluster, output)).isInstanceOf(NoSuchFileException.class);
    }
  }

  /** Refuses all pushes to one server permanently. */
  private static Faults refusing(String name) {
    return new Faults() {
      @Override
      public Fate push(ServerId server, Push push, ByteBuf body) throws SluiceException {
        if (server.getName().equals(name)) {
          throw new SluiceException(StatusCode.EXPIRED, "shuffle expired");
        }
        return Fate.DONE;
      }
    };
  }

  @Test
  void continuesWithOtherServersAfterARefusal() throws Exception {
    try (FakeCluster cluster = FakeCluster.inline(2, refusing("server-0"))) {
      FinishedOutput output =
          written(cluster, cluster.assign(20, 2, 1), session -> addEach(session, 20, 9_000));
      long half = Files.size(output.data()) / 2;
      try (SealedPush push = cluster.sealedPush(output.assignment(), output.attempt())) {
        OutputPush work = pushOf(cluster, output, push);

        assertThat(work.run(Long.MAX_VALUE, new SplittableRandom(1))).isTrue();
        assertThat(work.rejectedBytes()).isEqualTo(half);
        assertThat(work.pushedBytes()).isEqualTo(half);
      }
      for (int partition = 10; partition < 20; partition++) {
        assertThat(cluster.server(1).isComplete(partition, ATTEMPT)).isTrue();
      }
    }
  }

  @Test
  void failsWhenAServerLostAcknowledgedBlocks() throws Exception {
    AtomicReference<FakeCluster> restarted = new AtomicReference<>();
    AtomicInteger pushes = new AtomicInteger();
    Faults crash =
        new Faults() {
          @Override
          public Fate push(ServerId server, Push push, ByteBuf body) {
            if (pushes.incrementAndGet() == 4) {
              restarted.get().server(0).restart();
              restarted.get().transport().dropConnections();
            }
            return Fate.DONE;
          }
        };
    try (FakeCluster cluster = FakeCluster.inline(1, crash)) {
      restarted.set(cluster);
      FinishedOutput output =
          written(cluster, cluster.assign(40, 1, 1), session -> addEach(session, 40, 9_000));

      assertThatThrownBy(() -> run(cluster, output)).isInstanceOf(PushFailedException.class);
    }
  }
}
