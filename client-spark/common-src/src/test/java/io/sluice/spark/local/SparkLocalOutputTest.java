package io.sluice.spark.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.client.read.LocalOutput.Answer;
import io.sluice.client.read.LocalOutput.Piece;
import io.sluice.spark.TestTask;
import java.io.File;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.spark.SparkConf;
import org.apache.spark.executor.TempShuffleReadMetrics;
import org.apache.spark.network.buffer.ManagedBuffer;
import org.apache.spark.network.buffer.NioManagedBuffer;
import org.apache.spark.network.shuffle.BlockFetchingListener;
import org.apache.spark.network.shuffle.DownloadFileManager;
import org.apache.spark.storage.BlockManagerId;
import org.apache.spark.storage.BlockManagerId$;
import org.apache.spark.storage.ShuffleBlockId;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import scala.Option;

class SparkLocalOutputTest {
  private static final int SHUFFLE = 5;

  private static final int MANY = Integer.MAX_VALUE;

  @TempDir private Path directory;

  private final Executors executors = new Executors();
  private final Map<Long, LocalAttempt> attempts = new HashMap<>();
  private final TempShuffleReadMetrics metrics =
      TestTask.withMemory(1 << 20).taskMetrics().createTempShuffleReadMetrics();
  private SparkLocalOutput output;

  private static BlockManagerId executor(int number) {
    return BlockManagerId$.MODULE$.apply("" + number, "host" + number, 70, Option.empty());
  }

  /** Executor 0 is this process; the others answer when the test calls {@link #answerAll}. */
  private final class Executors implements BlockSource {
    final Map<String, byte[]> blocks = new HashMap<>();
    final Deque<Runnable> answers = new ArrayDeque<>();
    final List<List<String>> requests = new ArrayList<>();
    final List<DownloadFileManager> files = new ArrayList<>();
    final Map<BlockManagerId, Integer> openBlocks = new HashMap<>();
    int openRequests;
    int mostOpenRequests;
    int mostOpenBlocks;
    int retained;
    boolean answering;

    private ManagedBuffer buffer(byte[] bytes) {
      retained++;
      return new NioManagedBuffer(ByteBuffer.wrap(bytes)) {
        @Override
        public ManagedBuffer retain() {
          retained++;
          return this;
        }

        @Override
        public ManagedBuffer release() {
          retained--;
          return this;
        }
      };
    }

    @Override
    public boolean isLocal(BlockManagerId at) {
      return at.equals(executor(0));
    }

    @Override
    public ManagedBuffer localBlock(ShuffleBlockId block) {
      byte[] found = blocks.get(block.name());
      if (found == null) {
        throw new IllegalStateException("no file of " + block.name());
      }
      return buffer(found);
    }

    @Override
    public void fetch(
        BlockManagerId at,
        String[] names,
        BlockFetchingListener listener,
        DownloadFileManager manager) {
      requests.add(List.of(names));
      files.add(manager);
      boolean whole = Arrays.stream(names).allMatch(blocks::containsKey);
      openRequests++;
      mostOpenRequests = Math.max(mostOpenRequests, openRequests);
      int open = openBlocks.merge(at, names.length, Integer::sum);
      mostOpenBlocks = Math.max(mostOpenBlocks, open);
      AtomicInteger unanswered = new AtomicInteger(names.length);
      for (String name : names) {
        answers.add(
            () -> {
              openBlocks.merge(at, -1, Integer::sum);
              if (unanswered.decrementAndGet() == 0) {
                openRequests--;
              }
              if (whole) {
                ManagedBuffer buffer = buffer(blocks.get(name));
                listener.onBlockFetchSuccess(name, buffer);
                buffer.release();
              } else {
                listener.onBlockFetchFailure(name, new IOException("no file"));
              }
            });
      }
      if (answering) {
        answerAll();
      }
    }

    void answerAll() {
      while (!answers.isEmpty()) {
        answers.remove().run();
      }
    }

    @Override
    public File temporaryFile() {
      return directory.resolve("fetched").toFile();
    }
  }

  private static byte[] contents(long mapId, int partition, int length) {
    byte[] bytes = new byte[length];
    new SplittableRandom(mapId * 1000 + partition).nextBytes(bytes);
    return bytes;
  }

  private Piece piece(int at, long mapId, int partition, int length) {
    executors.blocks.put(
        new ShuffleBlockId(SHUFFLE, mapId, partition).name(), contents(mapId, partition, length));
    return lost(at, mapId, partition, length);
  }

  private Piece lost(int at, long mapId, int partition, long length) {
    attempts
        .computeIfAbsent(mapId, any -> new LocalAttempt(executor(at), new HashMap<>()))
        .bytesOfPartition()
        .put(partition, length);
    return new Piece(partition, mapId, (int) mapId);
  }

  private SparkLocalOutput output(FetchLimits limits) {
    output = new SparkLocalOutput(SHUFFLE, attempts, executors, limits, metrics);
    return output;
  }

  @AfterEach
  void releasesAllBlocksWhenClosed() {
    if (output != null) {
      output.close();
      executors.answerAll();
    }
    assertThat(executors.retained).isZero();
  }

  private static void assertWhole(Answer answer, int length) throws IOException {
    assertThat(answer.failure()).isNull();
    assertThat(answer.bytes()).isEqualTo(length);
    try (var blocks = answer.blocks()) {
      assertThat(blocks.readAllBytes())
          .isEqualTo(contents(answer.piece().mapAttempt(), answer.piece().partition(), length));
    }
  }

  @Test
  void filesOfThisExecutorAreReadLocallyAndCountedAsLocal() throws IOException {
    Piece here = piece(0, 1, 3, 500);
    SparkLocalOutput reading = output(new FetchLimits(1000, MANY, 10, 1 << 20, 1));
    assertThat(reading.mayHave(1)).isTrue();
    assertThat(reading.mayHave(2)).isFalse();

    reading.request(List.of(here));

    assertWhole(reading.next(), 500);
    assertThat(reading.next()).isNull();
    assertThat(executors.requests).isEmpty();
    assertThat(metrics.localBytesRead()).isEqualTo(500);
    assertThat(metrics.localBlocksFetched()).isEqualTo(1);
    assertThat(metrics.remoteBytesRead()).isZero();
  }

  @Test
  void filesOfAnotherExecutorAreFetchedTogetherAndCountedAsRemote() throws IOException {
    List<Piece> pieces = List.of(piece(1, 1, 3, 100), piece(1, 2, 3, 50), piece(2, 4, 3, 70));
    SparkLocalOutput reading = output(new FetchLimits(10_000, MANY, 10, 1 << 20, 1000));

    reading.request(pieces);
    executors.answerAll();

    assertThat(executors.requests)
        .containsExactlyInAnyOrder(
            List.of("shuffle_5_1_3", "shuffle_5_2_3"), List.of("shuffle_5_4_3"));
    for (int i = 0; i < 3; i++) {
      Answer answer = reading.next();
      assertWhole(
          answer, (int) (long) attempts.get(answer.piece().mapAttempt()).bytesOfPartition().get(3));
    }
    assertThat(reading.next()).isNull();
    assertThat(metrics.remoteBytesRead()).isEqualTo(220);
    assertThat(metrics.remoteBlocksFetched()).isEqualTo(3);
    assertThat(metrics.localBytesRead()).isZero();
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void noMoreIsOnItsWayThanAllowedAndEveryPieceIsAnsweredOnce(long seed) throws IOException {
    SplittableRandom random = new SplittableRandom(seed);
    FetchLimits limits = new FetchLimits(2_000, MANY, 4, 1 << 20, 1000);
    List<Piece> pieces = new ArrayList<>();
    Map<Piece, Integer> expected = new HashMap<>();
    for (int i = 0; i < 100; i++) {
      int at = random.nextInt(4);
      int length = 1 + random.nextInt(900);
      boolean there = random.nextInt(8) > 0;
      Piece piece = there ? piece(at, i, 0, length) : lost(at, i, 0, length);
      pieces.add(piece);
      expected.put(piece, there ? length : -1);
    }
    SparkLocalOutput reading = output(limits);
    reading.request(pieces.subList(0, 60));
    reading.request(pieces.subList(60, 100));
    int given = 0;
    for (; given < 100; given++) {
      assertThat(executors.answers.size()).isLessThanOrEqualTo(4 * 4 * 5);
      // Pieces of a failed request are requested again one by one.
      SplittableRandom order = random.split();
      if (!executors.answers.isEmpty()) {
        List<Runnable> now = new ArrayList<>(executors.answers);
        executors.answers.clear();
        while (!now.isEmpty()) {
          now.remove(order.nextInt(now.size())).run();
        }
      }
      Answer answer = nextAnswering(reading);
      int length = expected.remove(answer.piece());
      if (length < 0) {
        assertThat(answer.blocks()).isNull();
        assertThat(answer.failure()).contains("no file");
      } else {
        assertWhole(answer, length);
      }
    }
    assertThat(reading.next()).isNull();
    assertThat(expected).isEmpty();
    for (List<String> request : executors.requests) {
      assertThat(request).hasSizeLessThanOrEqualTo(4);
    }
  }

  @Test
  void requestsAndBlocksPerAddressStayWithinSparksLimits() throws IOException {
    List<Piece> pieces = new ArrayList<>();
    for (int i = 0; i < 60; i++) {
      pieces.add(piece(1 + i % 4, i, 0, 10));
    }
    SparkLocalOutput reading = output(new FetchLimits(1_000_000, 3, 5, 1 << 20, 60_000));
    reading.request(pieces);

    int answered = 0;
    while (!executors.answers.isEmpty()) {
      executors.answers.remove().run();
      assertWhole(reading.next(), 10);
      answered++;
    }

    assertThat(reading.next()).isNull();
    assertThat(answered).isEqualTo(60);
    assertThat(executors.mostOpenRequests).isEqualTo(3);
    assertThat(executors.mostOpenBlocks).isEqualTo(5);
  }

  @Test
  void limitsAreThoseOfSparksConfiguration() {
    SparkConf conf =
        new SparkConf(false)
            .set("spark.reducer.maxSizeInFlight", "7m")
            .set("spark.reducer.maxReqsInFlight", "3")
            .set("spark.reducer.maxBlocksInFlightPerAddress", "5")
            .set("spark.network.maxRemoteBlockSizeFetchToMem", "9m")
            .set("spark.shuffle.io.connectionTimeout", "2s")
            .set("spark.shuffle.io.maxRetries", "1")
            .set("spark.shuffle.io.retryWait", "3s");

    assertThat(FetchLimits.of(conf)).isEqualTo(new FetchLimits(7 << 20, 3, 5, 9 << 20, 10_000));
  }

  /** Answers requests that are sent only while the reader waits for the next answer. */
  private Answer nextAnswering(SparkLocalOutput reading) throws IOException {
    executors.answering = true;
    try {
      return reading.next();
    } finally {
      executors.answering = false;
    }
  }

  @Test
  void oneLostFileFailsOnlyItsPiece() throws IOException {
    List<Piece> pieces = List.of(piece(1, 1, 3, 100), lost(1, 2, 3, 50));
    SparkLocalOutput reading = output(new FetchLimits(10_000, MANY, 10, 1 << 20, 1000));
    reading.request(pieces);
    executors.answerAll();

    Map<Long, Answer> found = new HashMap<>();
    for (int i = 0; i < 2; i++) {
      Answer answer = nextAnswering(reading);
      found.put(answer.piece().mapAttempt(), answer);
    }

    assertWhole(found.get(1L), 100);
    assertThat(found.get(2L).failure()).contains("executor 1").contains("no file");
    assertThat(reading.next()).isNull();
  }

  @Test
  void largeBlocksGoToFiles() {
    SparkLocalOutput reading = output(new FetchLimits(10_000, MANY, 10, 150, 1000));

    reading.request(List.of(piece(1, 1, 3, 200), piece(2, 2, 3, 100)));

    assertThat(executors.files).hasSize(2);
    assertThat(executors.files.get(0)).isNotNull();
    assertThat(executors.files.get(1)).isNull();
  }

  @Test
  void piecesOfAnUnresponsiveExecutorFail() throws IOException {
    // One block at a time: most are never requested, because the first does not arrive.
    SparkLocalOutput reading = output(new FetchLimits(1, MANY, 1, 1000, 1));
    List<Piece> silent = List.of(piece(1, 1, 3, 200), piece(1, 2, 3, 100), piece(1, 4, 3, 100));
    reading.request(silent);
    reading.request(List.of(piece(2, 3, 3, 100)));

    for (int i = 0; i < 3; i++) {
      assertThat(reading.next().failure()).contains("executor 1").contains("within 1 ms");
    }
    assertThat(executors.requests)
        .containsExactly(List.of("shuffle_5_1_3"), List.of("shuffle_5_3_3"));
    executors.answers.removeLast().run();
    assertWhole(reading.next(), 100);
    assertThat(reading.next()).isNull();

    executors.answerAll();
    assertThat(reading.next()).isNull();
  }

  @Test
  void anInterruptEndsTheWait() {
    SparkLocalOutput reading = output(new FetchLimits(10_000, MANY, 10, 1000, 60_000));
    reading.request(List.of(piece(1, 1, 3, 200)));
    Thread.currentThread().interrupt();

    assertThatThrownBy(reading::next).isInstanceOf(InterruptedIOException.class);
    assertThat(Thread.interrupted()).isTrue();
  }

  @Test
  void releasesBlocksThatArriveAfterClosing() {
    SparkLocalOutput reading = output(new FetchLimits(10_000, MANY, 10, 100, 60_000));
    reading.request(List.of(piece(1, 1, 3, 200), piece(2, 2, 3, 50)));
    executors.answers.remove().run();

    reading.close();
    reading.close();

    assertThat(executors.files.get(0).registerTempFileToClean(null)).isFalse();
  }
}
